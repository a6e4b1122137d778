import type { NamespacedName } from '#kernel';
import { oneShard } from '../ports/shards.port.ts';
import type { ReconcilePorts } from './pass.ts';

/** Whether a write for the policy may be sent now; looked at directly before it is. */
export function mayWrite(
  { shards = oneShard }: Pick<ReconcilePorts, 'shards'>,
  policy: NamespacedName,
): boolean {
  return shards.mayWrite(policy);
}
