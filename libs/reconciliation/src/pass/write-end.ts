import type { VersionEnd } from '../outcome/version-end.ts';
import type { Pass } from './pass.ts';

/**
 * Why a write of the pass is not sent any more; null: it may be. To be looked at directly before it is sent. Deciding and
 * recording go on without the right to write: a process that cannot renew it may still hold the shard, and knows what to
 * record.
 */
export function writeEnd({ ports, runtime, versionEnd }: WritingPass): VersionEnd | null {
  return versionEnd() ?? (ports.shards.mayWrite(runtime.active.policy) ? null : 'NotHeld');
}

type WritingPass = Pick<Pass, 'ports' | 'runtime' | 'versionEnd'>;
