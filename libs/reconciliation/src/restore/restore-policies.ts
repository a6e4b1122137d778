import { messageOf, type NamespacedName, namespacedName, type Semaphore } from '#kernel';
import { forEachPage, type LedgerEntry, type PolicyKey, type PolicyState, policyStream } from '#ledger';
import { Deadline } from '../pass/deadline.ts';
import { managesNamespace, type ReconcileOptions, type ReconcilePorts } from '../pass/pass.ts';
import { momentOf } from '../ports/clock.port.ts';
import { forgetPolicy, keepDeparted } from '../record/seal-runs.ts';
import { hasHpa } from '../runtime/departed-policies.ts';
import { intentOf, type PendingWrite, type RecordedIntent } from '../runtime/pending-write.ts';
import type { PolicyRuntimes } from '../runtime/policy-runtimes.ts';
import { asRepeated } from '../runtime/stored-state.ts';
import { findPendingIntent, resolveOrphan, resolvePendingWrite } from '../write/resolve-pending-write.ts';
import { forEachRecord } from './recorded-policies.ts';

/** What a restart works with. */
export interface Restoring {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
  readonly semaphore: Semaphore;
  /** Whether the policy is of a shard that is taken. */
  readonly isTaken: (policy: NamespacedName) => boolean;
  /** The policies of those shards of which something is recorded, in force or not. */
  readonly recorded: readonly PolicyKey[];
}

/** A policy whose state cannot be read, and why. */
export interface DamagedState {
  readonly policy: PolicyKey;
  readonly message: string;
}

/** The states of policies that are not in force. */
export interface RestoredStates {
  /** By `namespace/name`. */
  readonly unclaimed: Map<string, PolicyState>;
  /** Policies whose states are there and cannot be read. */
  readonly damaged: readonly DamagedState[];
  readonly departed: readonly PolicyState[];
  /** Intents without outcome of policies that other processes carry out. */
  readonly elsewhere: readonly RecordedIntent[];
}

/**
 * Restores the memory and open run of every policy of the shards that are taken, and gives every intent without outcome
 * its one outcome. One that cannot be resolved now (the API server does not answer) stays pending: its policy's passes,
 * or for one that left what lets go of it, try again before anything else.
 *
 * @returns the states of policies that are not in force: some may come into force later, when their source has been
 *   read, and some left and have an HPA yet, or a write that is in doubt.
 */
export async function restorePolicies(
  restoring: Restoring,
  runtimes: PolicyRuntimes,
): Promise<RestoredStates> {
  const { ledger } = restoring.ports;
  const { states, damaged } = await restoreStates(restoring, runtimes);
  const areDamaged = new Set(damaged.map(({ policy }) => policyStream(policy)));
  const intents: RecordedIntent[] = [];
  const elsewhere: RecordedIntent[] = [];
  await forEachPage(
    (page) => ledger.pendingIntents(page),
    ({ stream }) => stream,
    (entry: LedgerEntry) => {
      const intent = intentOf(entry);
      // What became of it is found out once the state can be read: its outcome is stored with the state.
      if (intent !== null && !areDamaged.has(entry.stream))
        (restoring.isTaken(intent.payload.policy) ? intents : elsewhere).push(intent);
    },
  );
  await Promise.all(intents.map((intent) => resolveIntentAtStart(restoring, runtimes, { intent, states })));
  for (const { key } of runtimes.all()) states.delete(key);
  const departed: PolicyState[] = [];
  for (const [key, state] of states) {
    if (!(await hasLeft(restoring, state))) continue;
    states.delete(key);
    if (await isInDoubt(restoring, state)) departed.push(state);
    else if (hasHpa(state)) departed.push(await keepDeparted(restoring.ports, state));
    else await forgetPolicy(restoring.ports, state);
  }
  return { unclaimed: states, damaged, departed, elsewhere };
}

/** @returns the states by `namespace/name` */
async function restoreStates(
  { ports: { ledger, clock, log }, recorded }: Restoring,
  runtimes: PolicyRuntimes,
): Promise<{ readonly states: Map<string, PolicyState>; readonly damaged: readonly DamagedState[] }> {
  const states = new Map<string, PolicyState>();
  const damaged: DamagedState[] = [];
  await forEachRecord(recorded, (policies) => ledger.policyStates(policies), {
    visit: (state) => {
      const key = namespacedName(state.policy);
      const repeated = asRepeated(state, clock.now());
      states.set(key, repeated);
      const runtime = runtimes.get(key);
      runtime?.restore(repeated, momentOf(clock));
      runtime?.kept.noteStored(state);
    },
    noteDamaged: (policy, { message }) => {
      const key = namespacedName(policy);
      damaged.push({ policy, message });
      runtimes.get(key)?.awaitState();
      const text = `${key}  is not decided: its state cannot be read: ${message}`;
      log.write({ level: 'error', text, fields: { policy: key } });
    },
  });
  return { states, damaged };
}

/** Whether the record says that the policy left while the controller was down. Few policies are not in force. */
export async function hasLeft(
  { ports }: Pick<Restoring, 'ports'>,
  { policy }: Pick<PolicyState, 'policy'>,
): Promise<boolean> {
  const stream = policyStream(policy);
  const change = await ports.ledger.newestEntry({ stream, kind: 'PolicyChange' });
  return change !== null && change.payload.after === null;
}

/** Whether a write of the policy has no outcome yet; what it may have done to the memory is in the state alone. */
async function isInDoubt({ ports, options }: Restoring, { policy }: PolicyState): Promise<boolean> {
  if (!managesNamespace(options, policy.namespace)) return false;
  return (await findPendingIntent(ports, policyStream(policy))) !== null;
}

async function resolveIntentAtStart(
  restoring: Restoring,
  runtimes: PolicyRuntimes,
  found: { readonly intent: RecordedIntent; readonly states: Map<string, PolicyState> },
): Promise<void> {
  const { intent, states } = found;
  const key = namespacedName(intent.payload.policy);
  const state = states.get(key) ?? null;
  const runtime = runtimes.get(key);
  if (runtime !== undefined) discover(runtime.pendingWrite, intent);
  if (!managesNamespace(restoring.options, intent.payload.policy.namespace)) return;
  const deadline = new Deadline(restoring.ports.clock, restoring.options.passTimeoutMilliseconds);
  const calling = { ...restoring, deadline };
  try {
    if (runtime !== undefined) {
      await resolvePendingWrite({ ...calling, runtime });
    } else {
      const { state: resolved } = await resolveOrphan(calling, { intent, state });
      if (resolved !== null) states.set(key, resolved);
    }
  } catch (error) {
    const text = `${key}  could not find out what became of a write yet: ${messageOf(error)}`;
    restoring.ports.log.write({ level: 'warn', text, fields: { policy: key } });
  } finally {
    deadline.clear();
  }
}

/** A state that was stored with the intent has announced it already. */
function discover(pendingWrite: PendingWrite, intent: RecordedIntent): void {
  if (pendingWrite.state.kind === 'None')
    pendingWrite.apply({ kind: 'Discover', write: { memoryIfWritten: null } });
  pendingWrite.apply({ kind: 'Locate', intent });
}
