import type { PolicyState } from '../schema.generated.ts';

/** What is said of a policy: its states, and that it was not decided yet. */
export type ShownState = PolicyState | 'NotEvaluated';

/** The word in the table, and the sentence that explains it. */
export const stateTexts: Readonly<Record<ShownState, { readonly word: string; readonly sentence: string }>> =
  {
    AtMaximum: {
      word: 'at maximum',
      sentence: 'The count is at the policy’s maximum, or above it until it is taken down.',
    },
    Short: { word: 'short', sentence: 'At its maximum, and its metrics ask for more.' },
    Held: {
      word: 'held',
      sentence: 'A change of the policy waits for an approval, or until its source is resumed.',
    },
    Rejected: {
      word: 'rejected',
      sentence: 'A change of the policy was rejected, by a person or by errors; what was in force stays.',
    },
    Suspended: { word: 'suspended', sentence: 'An operator has stopped scaling for a time.' },
    Overridden: {
      word: 'overridden',
      sentence: 'An operator has replaced its bounds or its count for a time.',
    },
    Scheduled: { word: 'scheduled', sentence: 'A schedule of its document replaces its bounds now.' },
    Frozen: { word: 'frozen', sentence: 'A freeze of its document stops scaling now.' },
    Contested: { word: 'contested', sentence: 'Something else keeps changing the count.' },
    Conflict: {
      word: 'conflict',
      sentence: 'Another autoscaler is on the same target, so nothing is written.',
    },
    Overdue: {
      word: 'overdue',
      sentence: 'Its pods have not come within the target’s progress deadline.',
    },
    StaleSource: {
      word: 'stale source',
      sentence: 'Its repository cannot be looked at; what was in force stays.',
    },
    Fallback: { word: 'fallback', sentence: 'Pods are not selected as the policy asks.' },
    DryRun: {
      word: 'dry run',
      sentence: 'Its document or an operator says so: it is decided, and nothing is written.',
    },
    Observing: {
      word: 'observing',
      sentence: 'It is decided with mode Observe: nothing is written.',
    },
    Disabled: { word: 'disabled', sentence: 'The document says that nothing is scaled.' },
    Failing: { word: 'failing', sentence: 'The latest pass could not be carried out.' },
    Waiting: {
      word: 'waiting',
      sentence: 'The latest pass could not decide; the count stays until one can.',
    },
    NotEvaluated: { word: 'not evaluated', sentence: 'No pass over it has ended since the start.' },
  };

/** The counts of a status; null: not known. */
interface Counts {
  readonly replicas: number | null;
  readonly statusReplicas: number | null;
}

/** What is said of a policy of which no state is: whether its count is on its way. */
export function restOf(status: Counts | null): { readonly word: string; readonly sentence: string } {
  const { replicas = null, statusReplicas = null } = status ?? {};
  if (replicas === null || statusReplicas === null || replicas === statusReplicas) return rest.steady;
  return replicas > statusReplicas ? rest.growing : rest.shrinking;
}

const rest = {
  steady: { word: 'steady', sentence: 'Within its bounds, and nothing stands in the way.' },
  growing: { word: 'growing', sentence: 'More replicas are asked for than there are yet.' },
  shrinking: { word: 'shrinking', sentence: 'Fewer replicas are asked for than there are still.' },
} as const;
