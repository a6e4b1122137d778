import type { ReactElement } from 'react';
import { stateTexts } from '../messages/states.ts';
import type { PolicyState } from '../schema.generated.ts';
import { type Severity, severityOf } from './state-severity.ts';

/** A state in a word, with a shape that does not need its colour. */
export function StateBadge({ state }: { readonly state: PolicyState }): ReactElement {
  const { word, sentence } = stateTexts[state];
  return (
    <span className="badge" data-severity={severityOf(state)} title={sentence}>
      <SeverityShape severity={severityOf(state)} />
      <span className="badge-word">{word}</span>
    </span>
  );
}

const shapes: Readonly<Record<Severity, string>> = {
  critical: 'M5 .8 9.6 9H.4Z',
  attention: 'M5 .6 9.4 5 5 9.4.6 5Z',
  operator: 'M1.2 1.2h2.8v7.6H1.2zM6 1.2h2.8v7.6H6z',
  quiet: 'M1 4h8v2H1z',
};

/** Triangle: act. Diamond: look. Pause: somebody has stopped it. Bar: off. */
export function SeverityShape({ severity }: { readonly severity: Severity }): ReactElement {
  return (
    <svg
      className="shape"
      data-severity={severity}
      viewBox="0 0 10 10"
      width="0.625rem"
      height="0.625rem"
      aria-hidden="true"
    >
      <path d={shapes[severity]} />
    </svg>
  );
}
