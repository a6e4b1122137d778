import type { ShownState } from '../../messages/states.ts';

/** How much a state wants of its reader; each has a colour and a shape of its own. */
export type Severity = 'critical' | 'attention' | 'operator' | 'quiet';

/** The most pressing first. */
const severities: readonly (readonly [ShownState, Severity])[] = [
  ['Failing', 'critical'],
  ['Conflict', 'critical'],
  ['Short', 'critical'],
  ['Overdue', 'attention'],
  ['Contested', 'attention'],
  ['StaleSource', 'attention'],
  ['Waiting', 'attention'],
  ['Fallback', 'attention'],
  ['Held', 'attention'],
  ['AtMaximum', 'attention'],
  ['Rejected', 'attention'],
  ['Suspended', 'operator'],
  ['Overridden', 'operator'],
  ['DryRun', 'operator'],
  ['Observing', 'operator'],
  ['Frozen', 'operator'],
  ['Scheduled', 'quiet'],
  ['NotEvaluated', 'quiet'],
  ['Disabled', 'quiet'],
];

const known = new Map(severities.map(([state, severity], rank) => [state, { severity, rank }]));

/** What a state wants of its reader; one that this console does not know yet is to be looked at. */
export function severityOf(state: ShownState): Severity {
  return known.get(state)?.severity ?? 'attention';
}

/** Places of states among each other: the least is the most pressing. */
export function severityRank(state: ShownState): number {
  return known.get(state)?.rank ?? 0;
}

/** States with the most pressing first. */
export function sortedStates(states: readonly ShownState[]): readonly ShownState[] {
  return states.toSorted((left, right) => severityRank(left) - severityRank(right));
}
