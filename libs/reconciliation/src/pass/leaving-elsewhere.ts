import { AdapterError, type NamespacedName, namespacedName } from '#kernel';
import { policyStream } from '#ledger';
import type { ActivePolicy } from '../active-policy.ts';
import { isSameTarget, scaleTargetOf, targetKeyOf } from '../scale-target.ts';
import type { RecordedIntent } from '../write/pending-write.ts';
import { findPendingIntent } from '../write/resolve-pending-write.ts';
import type { ReconcilePorts } from './pass.ts';
import type { PolicyRuntime } from './policy-runtime.ts';

/** Between two looks at the ledger, in milliseconds: a process follows what is in force within a second. */
const retryMilliseconds = 1_000;

/** So long a target waits for a process that may be gone, whose shards another takes over in a quarter of that. */
const patienceMilliseconds = 60_000;

type LookingPorts = Pick<ReconcilePorts, 'clock' | 'ledger' | 'log' | 'scale'>;

/** A policy that another process carries out and that left its target, which a policy of this process goes on with. */
interface Awaited {
  readonly runtime: PolicyRuntime;
  readonly predecessor: NamespacedName;
  readonly since: number;
  dueAt: number;
}

/**
 * Targets that policies of other processes are leaving. A policy that goes on with one begins when the ledger says that
 * the other's write has its outcome and that its state is no longer of that target; so no change is recorded by both.
 */
export class LeavingElsewhere {
  readonly #awaited = new Map<PolicyRuntime, Awaited>();
  #active: readonly ActivePolicy[] = [];

  /** Notes what is in force, and which policies came for targets that those of other processes had. */
  note(active: readonly ActivePolicy[], added: readonly PolicyRuntime[], isHeld: HeldBy): void {
    const before = this.#active;
    this.#active = active;
    if (added.length === 0 || before === active) return;
    const elsewhere = before.filter(({ policy }) => !isHeld.has(policy));
    if (elsewhere.length === 0) return;
    const byTarget = new Map(elsewhere.map(({ policy }) => [targetKeyOf(scaleTargetOf(policy)), policy]));
    for (const runtime of added) {
      const predecessor = byTarget.get(targetKeyOf(runtime.target));
      if (predecessor !== undefined) this.#await(runtime, predecessor, isHeld.now);
    }
  }

  /** Notes an intent without outcome of another process, on the target of a policy of this one. */
  noteIntent({ payload }: RecordedIntent, runtime: PolicyRuntime, now: number): void {
    this.#await(runtime, payload.policy, now);
  }

  isAwaitedBy(runtime: PolicyRuntime): boolean {
    return this.#awaited.has(runtime);
  }

  /** Forgets what another process goes on with. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    for (const runtime of this.#awaited.keys())
      if (areMeant(runtime.active.policy)) this.#awaited.delete(runtime);
  }

  /** @returns whether a policy that waited may begin now */
  async look(ports: LookingPorts): Promise<boolean> {
    const now = ports.clock.monotonicMilliseconds();
    const due = [...this.#awaited.values()].filter(({ dueAt }) => dueAt <= now);
    for (const awaited of due) awaited.dueAt = now + retryMilliseconds;
    const ended = await Promise.all(due.map((awaited) => hasEnded(ports, awaited, now)));
    const over = due.filter((_, index) => ended[index] === true);
    for (const { runtime } of over) this.#awaited.delete(runtime);
    return over.length > 0;
  }

  #await(runtime: PolicyRuntime, { namespace, name }: NamespacedName, now: number): void {
    const predecessor = { namespace, name };
    if (namespacedName(predecessor) !== runtime.key)
      this.#awaited.set(runtime, { runtime, predecessor, since: now, dueAt: now });
  }
}

/** Which policies this process carries out, and when it is asked. */
export interface HeldBy {
  readonly has: (policy: NamespacedName) => boolean;
  readonly now: number;
}

async function hasEnded(ports: LookingPorts, awaited: Awaited, now: number): Promise<boolean> {
  const { runtime, predecessor, since } = awaited;
  // It left in its turn, or is carried out by another process.
  if (
    runtime.versionEnd === 'Left' ||
    runtime.versionEnd === 'Retargeted' ||
    runtime.versionEnd === 'NotHeld'
  )
    return true;
  try {
    if (await hasLeft(ports, awaited)) return true;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
  }
  if (now - since < patienceMilliseconds) return false;
  const key = namespacedName(predecessor);
  const text = `${runtime.key}  goes on with the target of ${key}, whose record another process has not completed for a minute`;
  ports.log.write({ level: 'warn', text, fields: { policy: runtime.key, predecessor: key } });
  return true;
}

/** @throws AdapterError when the ledger cannot be read */
async function hasLeft(
  { ledger, scale }: LookingPorts,
  { runtime: { target }, predecessor }: Awaited,
): Promise<boolean> {
  const stream = policyStream(predecessor);
  const intent = await findPendingIntent({ ledger }, stream);
  if (intent !== null && isSameTarget(intent.payload.target, target)) return false;
  const [state] = await ledger.policyStates([predecessor]);
  const account = state?.account ?? null;
  if (account === null) return true;
  const uid = scale.cachedScale(target)?.uid ?? null;
  return uid !== null && account.uid !== null && account.uid !== uid;
}
