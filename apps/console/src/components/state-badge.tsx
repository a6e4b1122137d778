import type { ReactElement } from 'react';
import type { PolicyState } from '../api/schema.generated.ts';
import { stateTexts } from '../messages/states.ts';

/** How much a state wants of its reader; each has a colour and a shape of its own. */
export type Severity = 'critical' | 'attention' | 'operator' | 'quiet';

const severities: Readonly<Record<PolicyState, Severity>> = {
  Failing: 'critical',
  Conflict: 'critical',
  Short: 'critical',
  Contested: 'attention',
  StaleSource: 'attention',
  Fallback: 'attention',
  Held: 'attention',
  AtMaximum: 'attention',
  Suspended: 'operator',
  Overridden: 'operator',
  DryRun: 'operator',
  Disabled: 'quiet',
};

const ranks: readonly Severity[] = ['critical', 'attention', 'operator', 'quiet'];

/** What a state wants of its reader. */
export function severityOf(state: PolicyState): Severity {
  return severities[state];
}

/** States with the most pressing first. */
export function sortedStates(states: readonly PolicyState[]): readonly PolicyState[] {
  const rank = (state: PolicyState): number => ranks.indexOf(severities[state]);
  return states.toSorted((left, right) => rank(left) - rank(right));
}

/** A state in a word, with a shape that does not need its colour. */
export function StateBadge({ state }: { readonly state: PolicyState }): ReactElement {
  const { word, sentence } = stateTexts[state];
  return (
    <span className="badge" data-severity={severities[state]} title={sentence}>
      <SeverityShape severity={severities[state]} />
      {word}
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
      width="10"
      height="10"
      aria-hidden="true"
    >
      <path d={shapes[severity]} />
    </svg>
  );
}
