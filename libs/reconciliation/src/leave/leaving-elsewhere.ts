import { AdapterError, type NamespacedName, namespacedName } from '#kernel';
import { policyStream } from '#ledger';
import type { VersionEnd } from '../outcome/version-end.ts';
import { ledgerRead } from '../pass/awaited-calls.ts';
import { Deadline, DeadlineExceeded } from '../pass/deadline.ts';
import type { ReconcilePorts } from '../pass/pass.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { isSameTarget, scaleTargetOf, targetKeyOf } from '../policies/scale-target.ts';
import type { RecordedIntent } from '../runtime/pending-write.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { findPendingIntent } from '../write/resolve-pending-write.ts';

/** Between two looks at the ledger, in milliseconds: a process follows what is in force within a second. */
const retryMilliseconds = 1_000;

/** So long a target waits for a process that may be gone, whose shards another takes over in a quarter of that. */
const patienceMilliseconds = 60_000;

/** How many are asked for at once: each asks the ledger twice, whose connections passes need, too. */
const maximumAtOnce = 32;

/** How many are asked for in a look, those first that were asked for longest ago; a whole fleet may change its policies. */
const maximumPerLook = 512;

/** How long a look may take: what is answered later is asked for again. Nothing begins while it waits. */
const lookMilliseconds = 5_000;

type LookingPorts = Pick<ReconcilePorts, 'clock' | 'ledger' | 'log' | 'scale'>;

/** A policy that another process carries out and that left its target, which a policy of this process goes on with. */
interface Awaited {
  readonly predecessor: NamespacedName;
  readonly since: number;
  dueAt: number;
}

/**
 * Targets that policies of other processes are leaving. A policy that goes on with one begins when the ledger says that
 * the other's write has its outcome and that its state is no longer of that target; so no change is recorded by both.
 */
export class LeavingElsewhere {
  /** By the policy that goes on. */
  readonly #awaited = new Map<PolicyRuntime, Awaited>();
  #active: readonly ActivePolicy[] = [];

  /** Notes what is in force, and which policies came for targets that those of other processes had. */
  note(
    active: readonly ActivePolicy[],
    added: readonly PolicyRuntime[],
    { isHeld, now }: { readonly isHeld: (policy: NamespacedName) => boolean; readonly now: number },
  ): void {
    const before = this.#active;
    this.#active = active;
    if (added.length === 0 || before === active) return;
    const elsewhere = before.filter(({ policy }) => !isHeld(policy));
    if (elsewhere.length === 0) return;
    const byTarget = new Map(elsewhere.map(({ policy }) => [targetKeyOf(scaleTargetOf(policy)), policy]));
    for (const runtime of added) {
      const predecessor = byTarget.get(targetKeyOf(runtime.target));
      if (predecessor !== undefined) this.#await(runtime, predecessor, now);
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

  /** Looks at those that are due, as far as its bounds allow. @returns whether a policy that waited may begin now */
  async look(ports: LookingPorts): Promise<boolean> {
    const now = ports.clock.monotonicMilliseconds();
    const due = [...this.#awaited]
      .filter(([, { dueAt }]) => dueAt <= now)
      .toSorted(([, a], [, b]) => a.dueAt - b.dueAt)
      .slice(0, maximumPerLook);
    if (due.length === 0) return false;
    const deadline = new Deadline(ports.clock, lookMilliseconds);
    let isAnyOver = false;
    try {
      for (let start = 0; start < due.length && !deadline.isExpired; start += maximumAtOnce) {
        const isOver = await this.#lookAt(ports, due.slice(start, start + maximumAtOnce), deadline);
        isAnyOver ||= isOver;
      }
    } finally {
      deadline.clear();
    }
    return isAnyOver;
  }

  async #lookAt(
    ports: LookingPorts,
    some: readonly (readonly [PolicyRuntime, Awaited])[],
    deadline: Deadline,
  ): Promise<boolean> {
    const dueAt = ports.clock.monotonicMilliseconds() + retryMilliseconds;
    for (const [, awaited] of some) awaited.dueAt = dueAt;
    const ended = await Promise.all(
      some.map(([runtime, awaited]) => hasEnded({ ...ports, deadline }, runtime, awaited)),
    );
    const over = some.filter((_, index) => ended[index] === true);
    for (const [runtime] of over) this.#awaited.delete(runtime);
    return over.length > 0;
  }

  #await(runtime: PolicyRuntime, { namespace, name }: NamespacedName, now: number): void {
    const predecessor = { namespace, name };
    if (namespacedName(predecessor) !== runtime.key)
      this.#awaited.set(runtime, { predecessor, since: now, dueAt: now });
  }
}

/** Those of a policy that goes on with no target: it left in its turn, or is carried out by another process. */
const lastEnds: ReadonlySet<VersionEnd | null> = new Set(['Left', 'Retargeted', 'NotHeld']);

async function hasEnded(
  ports: LookingPorts & { readonly deadline: Deadline },
  runtime: PolicyRuntime,
  { predecessor, since }: Awaited,
): Promise<boolean> {
  if (lastEnds.has(runtime.versionEnd)) return true;
  try {
    if (await ports.deadline.race(hasLeft(ports, runtime, predecessor), ledgerRead)) return true;
  } catch (error) {
    if (!(error instanceof AdapterError || error instanceof DeadlineExceeded)) throw error;
  }
  if (ports.clock.monotonicMilliseconds() - since < patienceMilliseconds) return false;
  const key = namespacedName(predecessor);
  const text = `${runtime.key}  goes on with the target of ${key}, whose record another process has not completed for a minute`;
  ports.log.write({ level: 'warn', text, fields: { policy: runtime.key, predecessor: key } });
  return true;
}

/** @throws AdapterError when the ledger cannot be read */
async function hasLeft(
  { ledger, scale }: LookingPorts,
  { target }: PolicyRuntime,
  predecessor: NamespacedName,
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
