import { DeadlineExceeded } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';
import { append } from './append.ts';

/**
 * Makes a policy's conditions durable where any has changed, so that a restart keeps since when each is as it is. It is
 * no part of what the pass came to, and keeps no pass from recording or writing: what could not be stored is stored
 * after the next one. The ledger's queue keeps the order of what is sent.
 *
 * @param reason of the pass's outcome
 */
export async function recordConditions(
  { ports, runtime, deadline }: Pick<Pass, 'ports' | 'runtime' | 'deadline'>,
  reason: string,
): Promise<void> {
  const { conditions, versionEnd } = runtime;
  const hasLeft = versionEnd === 'Left' || versionEnd === 'Retargeted';
  // A ledger that has just failed gets nothing more from this pass, and a policy that left has no conditions.
  if (hasLeft || reason === 'LedgerUnavailable') return;
  const changed = conditions.takeUnrecorded();
  if (changed === null) return;
  const { namespace, name } = runtime.active.policy;
  const request = { drafts: [], conditions: [{ policy: { namespace, name }, conditions: changed }] };
  const answer = append(ports, request).then(({ kind }) => {
    if (kind === 'Stored') conditions.noteRecorded(changed);
    else conditions.noteUnrecorded();
  });
  try {
    await deadline.race(answer);
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
  }
}
