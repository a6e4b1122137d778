import { interventions as texts } from '../../messages/interventions.ts';
import type { StandingInterventionFragment } from './interventions.generated.ts';

/** What an intervention says beside its kind: `both`, or `at least 6, at most 9`; empty: nothing. */
export function interventionTerms(
  intervention: Pick<StandingInterventionFragment, 'direction' | 'minReplicas' | 'maxReplicas' | 'replicas'>,
): string {
  const { direction, minReplicas, maxReplicas, replicas } = intervention;
  const parts = [
    direction === null ? undefined : texts.directions[direction],
    minReplicas === null ? undefined : texts.atLeast(minReplicas),
    maxReplicas === null ? undefined : texts.atMost(maxReplicas),
    replicas === null ? undefined : texts.exactly(replicas),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
