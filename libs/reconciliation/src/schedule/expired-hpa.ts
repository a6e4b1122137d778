import { compareInstants, type NamespacedName, parseInstant } from '#kernel';
import { isOwn } from '../hpa/plan-actuation.ts';
import type { ReconcilePorts } from '../pass/pass.ts';

/** Whether the policy's own HPA says, in `plimsoll.dev/until`, that something rendered into it has ended by now. */
export function hasExpiredHpa(
  { nativeAutoscalers, clock }: Pick<ReconcilePorts, 'nativeAutoscalers' | 'clock'>,
  policy: NamespacedName,
): boolean {
  const listing = nativeAutoscalers.listAutoscalers(policy.namespace);
  if (listing.state === 'Unsynced') return false;
  const own = listing.autoscalers.find((autoscaler) => isOwn(policy, autoscaler));
  const [until, now] = [parseInstant(own?.until ?? ''), parseInstant(clock.now())];
  return until !== undefined && now !== undefined && compareInstants(until, now) <= 0;
}
