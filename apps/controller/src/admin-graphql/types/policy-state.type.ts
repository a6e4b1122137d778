import type { PolicyState as State } from '../../admin/policies/policy-standing.ts';
import { enumOf } from './enum-of.ts';

export const PolicyState = enumOf<State>('PolicyState', 'What may be said of a policy; several at a time.', {
  AtMaximum: 'It has as many replicas as it may.',
  Short: 'The same, and its metrics ask for more.',
  Held: 'A change of it waits for an approval, or until its source is resumed.',
  Rejected:
    'A change of it was rejected by a person, or by errors in its tenant: what was in force before stays.',
  Suspended: 'An operator, or the fleet brake, has stopped a direction.',
  Overridden: 'An operator has set other bounds or a count.',
  Scheduled: 'A schedule of its document replaces its bounds now.',
  Frozen: 'A freeze of its document stops a direction now.',
  DryRun: 'Its document or an operator says so: it is decided, and nothing is written.',
  Observing: 'It is decided with mode Observe: nothing is written.',
  Contested: 'Others reverse what is written, so that writes wait.',
  Conflict: 'Another autoscaler or policy wants the same target.',
  Overdue:
    'Its pods have not come within the target’s progress deadline: `ProgressDeadlineExceeded` of `Degraded`.',
  StaleSource: 'Its repository cannot be looked at.',
  Fallback: 'Pods were not selected as the policy asks.',
  Waiting:
    'Its latest pass waits, as for a metric of which there is no value, or for an answer of the cluster: the count stays.',
  Failing: 'Its latest pass was Stalled, Failed or Bug.',
  Disabled: 'Its document says `enabled: false`.',
});
