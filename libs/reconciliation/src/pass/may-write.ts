import type { NamespacedName } from '#kernel';
import { oneShard } from '../ports/shards.port.ts';
import type { Pass, ReconcilePorts } from './pass.ts';
import type { VersionEnd } from './version-end.ts';

/** Whether a write for the policy may be sent now; looked at directly before it is. */
export function mayWrite(
  { shards = oneShard }: Pick<ReconcilePorts, 'shards'>,
  policy: NamespacedName,
): boolean {
  return shards.mayWrite(policy);
}

/**
 * Why a write of the pass is not sent any more; null: it may be. Deciding and recording go on without the right to write:
 * a process that cannot renew it may still hold the shard, and knows what to record.
 */
export function writeEnd(pass: Pick<Pass, 'ports' | 'runtime' | 'versionEnd'>): VersionEnd | null {
  return pass.versionEnd() ?? (mayWrite(pass.ports, pass.runtime.active.policy) ? null : 'NotHeld');
}
