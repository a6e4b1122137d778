import { AdapterError, namespacedName } from '#kernel';
import { type PolicyState, recordDamaged } from '#ledger';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { ledgerRead } from '../pass/awaited-calls.ts';
import type { Pass } from '../pass/pass.ts';
import { momentOf } from '../ports/clock.port.ts';
import { asRepeated } from '../runtime/stored-state.ts';

type RestoringPass = Pick<Pass, 'ports' | 'runtime' | 'deadline'>;

/**
 * Restores a policy whose state could not be read when its shard was taken, once it can be: it was mended, or deleted, and
 * the policy begins as one that is new. Until then nothing of it is decided or stored, which would overwrite it.
 *
 * @returns null when there is nothing to wait for any more, else why the pass ends here
 * @throws DeadlineExceeded; AdapterError when the ledger cannot be read
 */
export async function restoreDamaged(pass: RestoringPass): Promise<PassOutcome | null> {
  const { ports, runtime } = pass;
  const read = await readState(pass);
  if ('kind' in read) return read;
  const { state } = read;
  if (state !== null) {
    runtime.restore(asRepeated(state, ports.clock.now()), momentOf(ports.clock));
    runtime.kept.noteStored(state);
  }
  runtime.endStateWait();
  const how = state === null ? 'is gone: it begins as one that is new' : 'can be read';
  const text = `${runtime.key}  is decided again: its state ${how}`;
  ports.log.write({ level: 'info', text, fields: { policy: runtime.key } });
  return null;
}

/** @returns a state of null: there is none any more */
async function readState({
  ports,
  runtime,
  deadline,
}: RestoringPass): Promise<{ readonly state: PolicyState | null } | PassOutcome> {
  const { namespace, name } = runtime.active.policy;
  try {
    const [state = null] = await deadline.race(ports.ledger.policyStates([{ namespace, name }]), ledgerRead);
    return { state };
  } catch (error) {
    if (!(error instanceof AdapterError) || error.code !== recordDamaged) throw error;
    const message = `${error.code}: ${namespacedName({ namespace, name })} is not decided: ${error.message}`;
    return { kind: 'Failed', reason: 'AdapterFailed', message };
  }
}
