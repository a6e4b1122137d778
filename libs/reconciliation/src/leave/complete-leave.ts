import type { AppendRequest, PolicyState } from '#ledger';
import { awaitWatch } from '../observe/await-watch.ts';
import { readOfScale } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import { managesNamespace, type Pass } from '../pass/pass.ts';
import { appendForPolicy } from '../record/append.ts';
import { restoreDamaged } from '../record/damaged-state.ts';
import { externalDrafts, reportExternalChanges } from '../record/external-changes.ts';
import { sealedDrafts } from '../record/seal-runs.ts';
import { departedState, hasHpa } from '../runtime/departed-policies.ts';
import type { LeftPolicy } from '../runtime/policy-runtimes.ts';
import type { Accounting } from '../runtime/replica-account.ts';
import { resolvePendingWrite } from '../write/resolve-pending-write.ts';

type LeavingPass = Pick<Pass, 'ports' | 'options' | 'runtime' | 'semaphore' | 'deadline'>;

/** What is stored of a policy that left; null: it is forgotten. */
export type StateLeft = PolicyState | null;

/**
 * Completes the record of a policy that left its target: the outcome of its write, the changes of its target's replicas,
 * its open runs. In the same transaction its state is forgotten, kept for its HPA, or handed to the policy that goes on
 * under its name with another target.
 *
 * @param onComplete called as soon as that is stored, even where the deadline has come by then
 * @returns null when it is complete, else what it waits for
 * @throws DeadlineExceeded; AdapterError when the ledger cannot be read
 */
export async function completeLeave(
  pass: LeavingPass,
  { successor }: LeftPolicy,
  onComplete: (left: StateLeft) => void,
): Promise<string | null> {
  const { ports, options, runtime } = pass;
  const damaged = runtime.isStateAwaited ? await restoreDamaged(pass) : null;
  if (damaged !== null) return damaged.message;
  const isManaged = managesNamespace(options, runtime.target.namespace);
  const unresolved = isManaged ? await resolvePendingWrite(pass) : null;
  if (unresolved !== null) return unresolved.message;
  const account = await lastAccount(pass, isManaged);
  if (account.kind === 'Unknown') return account.message;
  const { accounting } = account;
  const time = ports.clock.now();
  const left = stateLeft(pass, { isRetargeted: successor !== null, time });
  const appended = await appendForPolicy(pass, {
    request: requestOf(pass, { accounting, left, time }),
    onStored: () => {
      if (accounting !== null) {
        runtime.replicas.accept(accounting);
        reportExternalChanges(pass, accounting.changes);
      }
      onComplete(left);
    },
  });
  return appended.kind === 'Stored' ? null : appended.outcome.message;
}

type LastAccount =
  | { readonly kind: 'Known'; readonly accounting: Accounting | null }
  | { readonly kind: 'Unknown'; readonly message: string };

/** The changes of the target up to now. Of one that is gone, or not to be read, they are those that are known already. */
async function lastAccount(pass: LeavingPass, isManaged: boolean): Promise<LastAccount> {
  const { ports, runtime } = pass;
  const { replicas, target } = runtime;
  if (replicas.accounted === null) return { kind: 'Known', accounting: null };
  if (!isManaged) return { kind: 'Known', accounting: replicas.accountForKnown() };
  const reading = await callKubernetes(pass, readOfScale(target), (signal) =>
    ports.scale.readScale({ target, freshness: 'Cached' }, signal),
  );
  if ('error' in reading) {
    if (reading.cause === 'Failed') return { kind: 'Unknown', message: reading.error.message };
    return { kind: 'Known', accounting: replicas.accountForKnown() };
  }
  const progress = await awaitWatch(pass, reading.state);
  if (progress === 'Behind')
    return { kind: 'Unknown', message: 'the watch has not reported the present scale yet' };
  return { kind: 'Known', accounting: replicas.accountFor(reading.state, progress) };
}

function stateLeft(
  { runtime }: LeavingPass,
  { isRetargeted, time }: { readonly isRetargeted: boolean; readonly time: string },
): StateLeft {
  if (isRetargeted) return runtime.stateForSuccessor(time);
  const state = runtime.stateWith({ updatedAt: time });
  return hasHpa(state) ? departedState(state) : null;
}

function requestOf(
  pass: LeavingPass,
  {
    accounting,
    left,
    time,
  }: { readonly accounting: Accounting | null; readonly left: StateLeft; readonly time: string },
): AppendRequest {
  const { runtime } = pass;
  const { namespace, name } = runtime.active.policy;
  const changes = accounting === null ? [] : externalDrafts(pass, { accounting, time });
  const drafts = [...changes, ...sealedDrafts(runtime.kept)];
  const policy = { namespace, name };
  if (left === null) return { drafts, forget: [policy] };
  return { drafts, states: [left], conditions: [{ policy, conditions: [] }] };
}
