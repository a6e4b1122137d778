import { AdapterError, type NamespacedName, namespacedName, Semaphore } from '#kernel';
import type { PodClaims } from './claims/pod-claims.ts';
import type { Handover } from './handover.ts';
import type { ReconcileOptions, ReconcilePorts } from './pass/pass.ts';
import { sealAll } from './record/seal-runs.ts';
import { listRecordedPolicies } from './restore/recorded-policies.ts';
import { restoreConditions } from './restore/restore-conditions.ts';
import { restorePolicies } from './restore/restore-policies.ts';
import type { PolicyRuntimes } from './runtime/policy-runtimes.ts';
import type { HeldShards } from './schedule/held-shards.ts';
import type { RunningWork, WorkEnding } from './schedule/running-work.ts';

/** What a pass still has when the process is to end: Kubernetes kills after 30 s, and more than the passes must end. */
const shutdownMilliseconds = 10_000;

/** What a pass still has when its shard is given up: its policies are not decided meanwhile. */
const giveUpMilliseconds = 1_000;

/**
 * Shards whose runs are sealed at a time: one is written while the next is stored. Of many together the first would wait
 * for the last, and what is to be stored of thousands of policies would be in memory at once.
 */
const sealedAtOnce = 2;

const never = new AbortController().signal;

/** Of policies whose writes are not answered. */
const maximumNamed = 5;

/** What a turnover works with, shared with the passes. */
export interface ShardTurnoverDependencies {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
  readonly runtimes: PolicyRuntimes;
  readonly semaphore: Semaphore;
  readonly work: RunningWork;
  readonly shards: HeldShards;
  readonly claims: PodClaims;
  readonly handover: Handover;
}

/** How shards come to this process and leave it: what is restored of their policies, and what is sealed. */
export class ShardTurnover {
  #dependencies: ShardTurnoverDependencies;
  readonly #sealing = new Semaphore(sealedAtOnce);
  readonly #givingUp = new Set<Promise<void>>();

  constructor(dependencies: ShardTurnoverDependencies) {
    this.#dependencies = dependencies;
  }

  /** Restores by other options from now on. */
  reconfigure(options: ReconcileOptions): void {
    this.#dependencies = { ...this.#dependencies, options };
  }

  /**
   * Takes shards, and restores what their last holder recorded. None is taken where that fails.
   *
   * @param prepare is waited for before anything is read
   * @throws AdapterError when the ledger cannot be read
   */
  async take(shards: readonly number[], prepare: () => Promise<void>): Promise<void> {
    const { ports, runtimes, handover } = this.#dependencies;
    const begun = this.#dependencies.shards.begin(
      'Taking',
      shards,
      ports.activePolicies.listActivePolicies(),
    );
    const isTaken = this.#isOf(begun);
    let isRestored = false;
    try {
      await prepare();
      const recorded = await listRecordedPolicies(ports.ledger, isTaken);
      const restoring = { ...this.#dependencies, isTaken, recorded };
      const states = await restorePolicies(restoring, runtimes);
      handover.restore(states, await restoreConditions(restoring, runtimes));
      isRestored = true;
    } finally {
      this.#dependencies.shards.end(begun, isRestored);
      if (!isRestored) this.#giveAway(isTaken);
    }
  }

  /** Ends the work of a shard's policies, seals their open runs and forgets them. @throws AdapterError `WriteUnanswered` */
  async giveUp(shard: number): Promise<void> {
    const given = this.#giveUp(shard);
    this.#givingUp.add(given);
    await given.finally(() => this.#givingUp.delete(given));
  }

  async #giveUp(shard: number): Promise<void> {
    const { ports, shards } = this.#dependencies;
    const begun = shards.begin('GivingUp', [shard], ports.activePolicies.listActivePolicies());
    if (begun.size === 0) return;
    const isGiven = this.#isOf(begun);
    const runtimes = this.#dependencies.runtimes.all().filter(({ active }) => isGiven(active.policy));
    try {
      await this.#endWork({ milliseconds: giveUpMilliseconds, reason: 'the shard is given up' }, isGiven);
      await this.#sealing.run(never, () => sealAll(ports, runtimes));
    } finally {
      shards.end(begun, false);
      this.#giveAway(isGiven);
    }
    const unanswered = runtimes.filter(({ pendingWrite }) => pendingWrite.state.kind === 'Sent');
    if (unanswered.length > 0) throw writeUnanswered(unanswered.map(({ key }) => key));
  }

  /**
   * Drops the passes under way that have sent nothing, and waits for the others, 10 s at most, and for shards that are
   * being given up: their runs are sealed once.
   */
  async end(): Promise<void> {
    await this.#endWork({ milliseconds: shutdownMilliseconds, reason: 'the process is ending' });
    await Promise.allSettled(this.#givingUp);
  }

  /** Of what is under way only passes are dropped: what leaves a target may have changed something at any moment. */
  #endWork(
    ending: Pick<WorkEnding, 'milliseconds' | 'reason'>,
    isMeant?: (policy: NamespacedName) => boolean,
  ): Promise<void> {
    const isIdle = (policy: NamespacedName): boolean => {
      const runtime = this.#dependencies.runtimes.get(namespacedName(policy));
      return runtime?.isBusy === true && runtime.isIdle;
    };
    return this.#dependencies.work.end({ ...ending, isIdle }, isMeant);
  }

  #isOf(shards: ReadonlySet<number>): (policy: NamespacedName) => boolean {
    return (policy) => shards.has(this.#dependencies.ports.shards.shardOf(policy));
  }

  #giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    const { runtimes, claims, handover } = this.#dependencies;
    for (const { key, active } of runtimes.giveAway(areMeant)) claims.release(key, active.policy.namespace);
    handover.giveAway(areMeant);
  }
}

function writeUnanswered(keys: readonly string[]): AdapterError {
  const message = `writes were sent and not answered: ${keys.toSorted().slice(0, maximumNamed).join(', ')}`;
  return new AdapterError({ code: 'WriteUnanswered', message, retryable: true });
}
