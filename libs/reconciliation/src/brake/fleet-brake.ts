import { type NamespacedName, namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { metricSourcesOf } from '../policies/metric-sources.ts';
import type { ActivePoliciesPort } from '../ports/active-policies.port.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import type { ShardsPort } from '../ports/shards.port.ts';
import { type BrakeFailure, BrakeSuspensions, type BrakeSuspensionsOptions } from './brake-suspensions.ts';
import { countTargets, noTargets, type SourceTargets } from './count-targets.ts';
import { type DecidedTarget, proposalsOf, standingOf } from './decided-target.ts';
import { FleetLosses, type ShardLosses, type StoredShardLosses } from './fleet-losses.ts';
import {
  type BrakeAmongReplicas,
  hasLookedAtAll,
  type LossWait,
  lossWaitOf,
  type ShardLook,
} from './loss-wait.ts';
import type { TargetSample } from './target-losses.ts';

/** When the brake closes, and for how long. */
export interface FleetBrakeSettings {
  /** Of the targets of a source, 1 to 100: beyond it, the brake closes. 100 never closes it. */
  readonly targetsPercent: number;
  /** So many targets at least. */
  readonly minimumTargets: number;
  /** Of a target's highest count of the last five minutes, 1 to 100: so much or more is a loss that counts. */
  readonly replicasPercent: number;
  /** How long it stays closed after the cause was last seen, in minutes. */
  readonly minutes: number;
}

export interface FleetBrakeOptions extends BrakeSuspensionsOptions {
  /** Those of all replicas. */
  readonly activePolicies: Pick<ActivePoliciesPort, 'listActivePolicies'>;
  readonly shards: Pick<ShardsPort, 'shardOf'>;
  /** Absent: one process decides all policies. */
  readonly replicas?: BrakeAmongReplicas | undefined;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly settings: FleetBrakeSettings;
}

/** What this process counts of a shard, and how it has looked. */
export interface OwnShardLosses extends ShardLosses, ShardLook {
  /** Whether it has had the time to look at all targets: what the last holder of the shard counted is out of date then. */
  readonly hasLookedAtAll: boolean;
}

/** Of a shard whose policies this process does not carry out, as while it takes or gives it up. */
const noLook: ShardLook = { lookedMilliseconds: 0, silentMilliseconds: 0 };

const windowMilliseconds = 5 * 60_000;
/** The targets of each source are counted again after so long. */
const recountMilliseconds = 10_000;
/**
 * Stops scale-ins by a source of metrics that would take a large share of their replicas from a large share of its
 * targets within five minutes: a source that answers, freshly, with nonsense looks like a fleet without load. It holds
 * them by a suspension of everything that the source scales, which operators end, or which expires.
 *
 * What counts is what metrics propose, before stabilization, rates and velocity, since a count that falls slowly would
 * close the brake after the loss; what schedules, overrides and changes of a policy do does not count. Once operators
 * have ended a suspension, the brake stays open until its cause has ended.
 *
 * Of several replicas each counts over all of them, and none writes a large loss before it knows what has been seen since
 * of every shard that may hold others. The leader records the suspension; until it is known here, another one holds its own
 * scale-ins.
 *
 * @see docs/spec/fleet-brake.md
 */
export class FleetBrake {
  readonly #options: FleetBrakeOptions;
  #settings: FleetBrakeSettings;
  readonly #losses = new FleetLosses(windowMilliseconds);
  readonly #suspensions: BrakeSuspensions;
  #onChanged: () => void = () => undefined;
  #targets: { readonly at: number; readonly bySource: ReadonlyMap<string, SourceTargets> } | null = null;

  constructor(options: FleetBrakeOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#suspensions = new BrakeSuspensions(options);
  }

  /** Closes by other settings from the next decision on. */
  reconfigure(settings: FleetBrakeSettings): void {
    this.#settings = settings;
  }

  /** Since when it holds a source, RFC 3339; null: it holds none. */
  get closedSince(): string | null {
    return this.#suspensions.closedSince;
  }

  /** That it cannot hold a source that it is to hold; null: there is none. */
  get failing(): BrakeFailure | null {
    return this.#suspensions.failing;
  }

  /** Calls the listener when a count of {@link FleetBrake.listLosses} has changed; it returns at once. */
  onChanged(listener: () => void): void {
    this.#onChanged = listener;
  }

  /**
   * What this process counts by itself: also 0, of a shard whose policies it carries out, where any replica would lose
   * anything by the source. That one waits until it knows that this one has looked.
   */
  listLosses(): readonly OwnShardLosses[] {
    const now = this.#options.clock.monotonicMilliseconds();
    const counts = Map.groupBy(this.#losses.listOwn(now), ({ metricSource }) => metricSource);
    const sources = new Set([...this.#losses.losingSources(), ...counts.keys()]);
    return [...sources].flatMap((source) => {
      const awaited = this.#mayClose(source) ? this.#targetsOf(source).shards : [];
      const losing = new Map((counts.get(source) ?? []).map((count) => [count.shard, count.losing]));
      return [...new Set([...losing.keys(), ...awaited])].flatMap((shard) => {
        const look = this.#ownLookAt(source, shard, now);
        if (look === null && !losing.has(shard)) return [];
        return [this.#ownLosses({ shard, metricSource: source, losing: losing.get(shard) ?? 0 }, look)];
      });
    });
  }

  #ownLosses(losses: ShardLosses, look: ShardLook | null): OwnShardLosses {
    const { lookedMilliseconds, silentMilliseconds } = look ?? noLook;
    const targets = this.#targetsOf(losses.metricSource);
    return {
      ...losses,
      lookedMilliseconds,
      silentMilliseconds,
      hasLookedAtAll: hasLookedAtAll({ lookedMilliseconds }, targets),
    };
  }

  /** Null: this process does not carry the shard's policies out. */
  #ownLookAt(source: string, shard: number, now: number): ShardLook | null {
    const held = this.#options.replicas?.carriedOutMilliseconds(shard) ?? null;
    if (held === null) return null;
    const silentMilliseconds = now - this.#losses.lookedUntil(source, shard, now);
    return { lookedMilliseconds: Math.max(0, held - silentMilliseconds), silentMilliseconds };
  }

  /** The sources that operators have let go, until their causes have ended. */
  listReleased(): readonly string[] {
    return this.#suspensions.released;
  }

  /**
   * Takes over what other replicas have stored, and closes where all of them together lose too much.
   *
   * @param released the sources that operators have let go, as the last leader stored them
   * @param readAt when they began to be read, by the monotonic clock
   * @throws AdapterError where a suspension cannot be recorded
   */
  async follow(
    others: readonly StoredShardLosses[],
    released: readonly string[],
    readAt: number,
  ): Promise<void> {
    const changed = this.#losses.replaceOthers(others, readAt);
    for (const source of released) this.#suspensions.noteReleased(source);
    for (const source of new Set([...changed, ...this.#suspensions.sources]))
      if (this.#followCause(source)) await this.#hold(source);
  }

  /** Whether it may ever hold what a policy's metrics ask for: it is on, and a source of theirs has as many targets as it takes. */
  mayHold(policy: EffectivePolicy): boolean {
    return metricSourcesOf(policy).some((source) => this.#hasEnoughTargets(source));
  }

  /** Forgets the targets of a shard that this process has given up. */
  leave(shard: number): void {
    this.#losses.leave(shard);
  }

  /**
   * Takes a decision, and closes where its loss is one too many: passes over what the source scales end, and see the
   * suspension when they begin again, this one among them.
   *
   * @returns why a scale-in waits: it takes so much, and it is not known yet whether others do; or all of them together
   * lose too much, and the leader has not recorded it yet. Null: it does not wait.
   * @throws AdapterError where the suspension cannot be recorded: nothing may be scaled in on the decision.
   */
  async note(decided: DecidedTarget): Promise<LossWait | null> {
    const { active, decision, hasDecided } = decided;
    if (decision.currentReplicas === null) return null;
    const { minReplicas, isFree, rules } = standingOf(decided);
    const known = { replicas: decision.currentReplicas, minReplicas, rules, hasDecided };
    let wait: LossWait | null = null;
    for (const [source, proposal] of proposalsOf(active, decision)) {
      const since = this.#count(source, active.policy, { ...known, proposal: isFree ? proposal : null });
      const isToBeHeld = this.#followCause(source);
      if (isToBeHeld && since !== null) await this.#hold(source);
      wait ??= this.#waitOf(source, { since, isToBeHeld }, active.policy);
    }
    return wait;
  }

  #waitOf(
    source: string,
    { since, isToBeHeld }: { readonly since: number | null; readonly isToBeHeld: boolean },
    { intervalSeconds }: Pick<EffectivePolicy, 'intervalSeconds'>,
  ): LossWait | null {
    if (isToBeHeld && !this.#mayRecord(source)) return { kind: 'SuspensionAwaited' };
    if (since === null || !this.#mayClose(source)) return null;
    const { clock, replicas } = this.#options;
    const now = clock.monotonicMilliseconds();
    const looksAt = (shard: number): readonly ShardLook[] =>
      [this.#ownLookAt(source, shard, now), this.#losses.otherLookAt(source, shard, now)].filter(
        (look) => look !== null,
      );
    const loss = { since, now, intervalSeconds, targets: this.#targetsOf(source) };
    return lossWaitOf(loss, replicas && { ...replicas, looksAt });
  }

  /** @returns since when the target would lose so much by the source; null: it does not */
  #count(metricSource: string, policy: NamespacedName, sample: TargetSample): number | null {
    const place = {
      metricSource,
      shard: this.#options.shards.shardOf(policy),
      target: namespacedName(policy),
    };
    const before = this.#losses.losing(metricSource);
    const at = {
      now: this.#options.clock.monotonicMilliseconds(),
      share: this.#settings.replicasPercent / 100,
    };
    const since = this.#losses.note(place, sample, at);
    if (this.#losses.losing(metricSource) !== before) this.#onChanged();
    return since;
  }

  /** A source that cannot be held is stopped target by target until it can be. */
  #mayRecord(source: string): boolean {
    return this.#isRecorder && !this.#suspensions.isFailing(source);
  }

  get #isRecorder(): boolean {
    return this.#options.replicas?.isLeader() ?? true;
  }

  /** Whether the source has as many targets as it takes, and operators have not let it go. */
  #mayClose(source: string): boolean {
    return !this.#suspensions.isReleased(source) && this.#hasEnoughTargets(source);
  }

  #hasEnoughTargets(source: string): boolean {
    const { minimumTargets, targetsPercent } = this.#settings;
    return targetsPercent < 100 && this.#targetsOf(source).count >= minimumTargets;
  }

  #isCause(source: string): boolean {
    const { minimumTargets, targetsPercent } = this.#settings;
    if (this.#losses.losing(source) < minimumTargets) return false;
    const { count: targets } = this.#targetsOf(source);
    // Without those that have left.
    const losing = this.#losses.losing(source);
    return losing >= minimumTargets && losing > (targets * targetsPercent) / 100;
  }

  /**
   * Follows what became of a source's suspension.
   *
   * @returns whether too much would be lost, and nothing holds it for long enough: no suspension stands, nor was one ended
   */
  #followCause(source: string): boolean {
    if (this.#isCause(source)) return this.#suspensions.isDue(source, this.#settings.minutes);
    this.#suspensions.noteEnded(source);
    return false;
  }

  async #hold(source: string): Promise<void> {
    if (!this.#isRecorder) {
      this.#suspensions.awaitLeader(source);
      return;
    }
    const { replicasPercent, minutes } = this.#settings;
    const { count: targets } = this.#targetsOf(source);
    const losing = this.#losses.losing(source);
    await this.#suspensions.begin(source, { losing, targets, replicasPercent, minutes });
  }

  #targetsOf(source: string): SourceTargets {
    const { clock, activePolicies, shards } = this.#options;
    const now = clock.monotonicMilliseconds();
    if (this.#targets === null || now - this.#targets.at >= recountMilliseconds) {
      const policies = activePolicies.listActivePolicies().map(({ policy }) => policy);
      this.#losses.retain(new Set(policies.map(namespacedName)));
      this.#targets = { at: now, bySource: countTargets(policies, shards) };
    }
    return this.#targets.bySource.get(source) ?? noTargets;
  }
}
