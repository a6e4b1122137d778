import type { ReactElement } from 'react';
import { type ShownState, stateTexts } from '../../messages/states.ts';
import { type Severity, severityOf } from './state-severity.ts';
import { stateShapes } from './state-shapes.ts';

/** A state in a word, with a shape of its own that does not need its colour. */
export function StateBadge({ state }: { readonly state: ShownState }): ReactElement {
  const { word, sentence } = stateTexts[state];
  return (
    <span className="badge" data-severity={severityOf(state)} title={sentence}>
      <StateShape state={state} />
      <span className="badge-word">{word}</span>
    </span>
  );
}

/** A state's own shape; of one that this console does not know yet, that of what is to be looked at. */
export function StateShape({ state }: { readonly state: ShownState }): ReactElement {
  const severity = severityOf(state);
  return (
    <Shape severity={severity} path={(stateShapes as Record<string, string>)[state] ?? shapes[severity]} />
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
  return <Shape severity={severity} path={shapes[severity]} />;
}

function Shape({ severity, path }: { readonly severity: Severity; readonly path: string }): ReactElement {
  return (
    <svg
      className="shape"
      data-severity={severity}
      viewBox="0 0 10 10"
      width="0.625rem"
      height="0.625rem"
      aria-hidden="true"
    >
      <path fillRule="evenodd" d={path} />
    </svg>
  );
}
