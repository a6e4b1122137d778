import type { Decision, Observation } from '#decision';
import { AdapterError, namespacedName } from '#kernel';
import type { StandingIntervention } from '#ledger';
import type { ActivePolicy } from '../active-policy.ts';
import { effectiveLimits } from '../hpa/effective-limits.ts';
import { metricSourcesOf } from '../metric-sources.ts';
import type { ActivePoliciesPort } from '../ports/active-policies.port.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import type { LogPort } from '../ports/log.port.ts';
import { fleetBrakeActor, isByFleetBrake, type StandingInterventions } from '../standing-interventions.ts';
import { TargetLosses, type TargetRules, type TargetSample } from './target-losses.ts';

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

export interface FleetBrakeOptions {
  readonly interventions: Pick<StandingInterventions, 'list' | 'begin'>;
  readonly activePolicies: Pick<ActivePoliciesPort, 'listActivePolicies'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly log: LogPort;
  /** A new UUID. */
  readonly newId: () => string;
  readonly settings: FleetBrakeSettings;
}

/** A decision on a policy, and what it was made of. */
export interface DecidedTarget {
  readonly active: ActivePolicy;
  readonly observation: Observation;
  readonly decision: Decision;
  /** Nothing is written in a dry run, and in `mode: Observe`. */
  readonly mayWrite: boolean;
  /** The policy has decided before. */
  readonly hasDecided: boolean;
}

interface Closed {
  readonly id: string;
  readonly expires: string;
  /** Operators have ended it. */
  readonly isReleased: boolean;
}

const windowMilliseconds = 5 * 60_000;
/** The targets of each source are counted again after so long. */
const recountMilliseconds = 10_000;
/** So long before it expires a suspension is followed by another, while its cause lasts. */
const renewalMilliseconds = 60_000;

/**
 * Stops scale-ins by a source of metrics that would take a large share of their replicas from a large share of its
 * targets within five minutes: a source that answers, freshly, with nonsense looks like a fleet without load. It holds
 * them by a suspension of everything that the source scales, which operators end, or which expires.
 *
 * What counts is what metrics propose, before stabilization, rates and velocity, since a count that falls slowly would
 * close the brake after the loss; what schedules, overrides and changes of a policy do does not count. Once operators
 * have ended a suspension, the brake stays open until its cause has ended.
 *
 * @see docs/spec/fleet-brake.md
 */
export class FleetBrake {
  readonly #options: FleetBrakeOptions;
  #settings: FleetBrakeSettings;
  readonly #losses = new Map<string, TargetLosses>();
  /** By source: the latest suspension, until its cause has ended. */
  readonly #closed = new Map<string, Closed>();
  readonly #closing = new Map<string, Promise<void>>();
  #targets: { readonly at: number; readonly bySource: ReadonlyMap<string, number> } | null = null;

  constructor(options: FleetBrakeOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  /** Closes by other settings from the next decision on. */
  reconfigure(settings: FleetBrakeSettings): void {
    this.#settings = settings;
  }

  /** Since when it holds a source, RFC 3339; null: it holds none. */
  get closedSince(): string | null {
    const now = Date.parse(this.#options.clock.now());
    const times = this.#options.interventions
      .list()
      .filter(({ intervention }) => isByFleetBrake(intervention) && Date.parse(intervention.expires) > now)
      .map(({ intervention: { since } }) => since ?? '');
    return times.toSorted()[0] ?? null;
  }

  /**
   * Takes a decision, and closes where its loss is one too many: passes over what the source scales end, and see the
   * suspension when they begin again, this one among them.
   *
   * @returns whether it takes so much for the first time, and it is not known yet whether others do: a scale-in then waits
   * for half of the policy's interval, in which others are looked at.
   * @throws AdapterError where the suspension cannot be recorded: nothing may be scaled in on the decision.
   */
  async note(decided: DecidedTarget): Promise<boolean> {
    const { active, decision, hasDecided } = decided;
    if (decision.currentReplicas === null) return false;
    const { minReplicas, isFree, rules } = standingOf(decided);
    const known = { replicas: decision.currentReplicas, minReplicas, rules, hasDecided };
    const confirmedAt =
      this.#options.clock.monotonicMilliseconds() - (active.policy.intervalSeconds * 1_000) / 2;
    let isUnconfirmed = false;
    for (const [source, proposal] of proposalsOf(active, decision)) {
      const sample = { ...known, proposal: isFree ? proposal : null };
      const since = await this.#noteAt(source, namespacedName(active.policy), sample);
      isUnconfirmed ||= since !== null && since > confirmedAt && this.#mayClose(source);
    }
    return isUnconfirmed;
  }

  /** @returns since when the target would lose so much by the source; null: it does not */
  async #noteAt(source: string, target: string, sample: TargetSample): Promise<number | null> {
    const losses = this.#lossesOf(source);
    const now = this.#options.clock.monotonicMilliseconds();
    const since = losses.note(target, sample, { now, share: this.#settings.replicasPercent / 100 });
    if (this.#isCause(source, losses.losing)) {
      if (since !== null) await this.#hold(source, losses.losing);
    } else if (this.#closed.has(source) && this.#standing(source) === undefined) {
      this.#closed.delete(source);
    }
    return since;
  }

  /** Whether the source has as many targets as it takes, and operators have not let it go. */
  #mayClose(source: string): boolean {
    const { minimumTargets, targetsPercent } = this.#settings;
    const isReleased = this.#closed.get(source)?.isReleased === true;
    return targetsPercent < 100 && !isReleased && this.#targetsOf(source) >= minimumTargets;
  }

  #isCause(source: string, losing: number): boolean {
    const { minimumTargets, targetsPercent } = this.#settings;
    return losing >= minimumTargets && losing > (this.#targetsOf(source) * targetsPercent) / 100;
  }

  async #hold(source: string, losing: number): Promise<void> {
    const standing = this.#standing(source);
    if (standing !== undefined) this.#closed.set(source, standing);
    const closed = this.#closed.get(source);
    if (closed !== undefined && this.#goesOn(source, closed, standing !== undefined)) return;
    const closing = this.#closing.get(source) ?? this.#close(source, losing);
    this.#closing.set(source, closing);
    await closing.finally(() => this.#closing.delete(source));
  }

  /** Whether nothing is to be done about a cause that lasts: it is held for longer, or operators have let it go. */
  #goesOn(source: string, closed: Closed, isStanding: boolean): boolean {
    const left = Date.parse(closed.expires) - Date.parse(this.#options.clock.now());
    if (isStanding) return left > renewalMilliseconds;
    const isReleased = closed.isReleased || left > 0;
    if (isReleased) this.#closed.set(source, { ...closed, isReleased });
    return isReleased;
  }

  async #close(source: string, losing: number): Promise<void> {
    const { clock, interventions, log, newId } = this.#options;
    const since = clock.now();
    const expires = new Date(Date.parse(since) + this.#settings.minutes * 60_000).toISOString();
    const targets = this.#targetsOf(source);
    const reason =
      `by ${source}, ${losing} of ${targets} targets would each lose ${this.#settings.replicasPercent} % ` +
      'of their replicas or more within 5 minutes';
    const standing: StandingIntervention = {
      id: newId(),
      scope: { kind: 'MetricSource', metricSource: source },
      intervention: { kind: 'Suspend', direction: 'Down', actor: fleetBrakeActor, reason, since, expires },
    };
    const failure = await interventions.begin(standing, { effect: { targets, losing } });
    if (failure !== null) {
      const message = `the fleet brake cannot hold what ${source} scales`;
      throw new AdapterError({ code: failure.code, message, retryable: true });
    }
    this.#closed.set(source, { id: standing.id, expires, isReleased: false });
    log.write({
      level: 'warn',
      text: `fleet brake: ${reason}; nothing that it scales is scaled in until ${expires}, or until the suspension is ended`,
      fields: { metricSource: source, losing, targets, intervention: standing.id, expires },
    });
  }

  /** The suspension that holds a source now and expires last. */
  #standing(source: string): Closed | undefined {
    const now = Date.parse(this.#options.clock.now());
    return this.#options.interventions
      .list()
      .filter(({ scope }) => scope.kind === 'MetricSource' && scope.metricSource === source)
      .filter(({ intervention }) => isByFleetBrake(intervention))
      .map(({ id, intervention: { expires } }) => ({ id, expires, isReleased: false }))
      .filter(({ expires }) => Date.parse(expires) > now)
      .toSorted((left, right) => Date.parse(right.expires) - Date.parse(left.expires))[0];
  }

  /** How many policies in force ask the source. */
  #targetsOf(source: string): number {
    const { clock, activePolicies } = this.#options;
    const now = clock.monotonicMilliseconds();
    if (this.#targets === null || now - this.#targets.at >= recountMilliseconds) {
      const sources = activePolicies
        .listActivePolicies()
        .flatMap(({ policy }) => [...new Set(metricSourcesOf(policy))]);
      const bySource = new Map<string, number>();
      for (const name of sources) bySource.set(name, (bySource.get(name) ?? 0) + 1);
      this.#targets = { at: now, bySource };
    }
    return this.#targets.bySource.get(source) ?? 0;
  }

  #lossesOf(source: string): TargetLosses {
    const known = this.#losses.get(source);
    if (known !== undefined) return known;
    const losses = new TargetLosses(windowMilliseconds);
    this.#losses.set(source, losses);
    return losses;
  }
}

/** What the metrics of each source ask for: the highest of them; null: all are invalid. */
function proposalsOf({ policy }: ActivePolicy, { metrics }: Decision): ReadonlyMap<string, number | null> {
  const sources = metricSourcesOf(policy);
  const proposals = new Map<string, number | null>();
  for (const [index, { proposedReplicas }] of metrics.entries()) {
    const source = sources[index];
    if (source === undefined) continue;
    const other = proposals.get(source) ?? null;
    proposals.set(source, proposedReplicas === null ? other : Math.max(proposedReplicas, other ?? 0));
  }
  return proposals;
}

interface TargetStanding {
  readonly minReplicas: number;
  /** Metrics may take replicas away: neither people nor windows decide or stop it, and it is written. */
  readonly isFree: boolean;
  /** What the count depends on beside metrics. */
  readonly rules: TargetRules;
}

function standingOf({ active, observation, mayWrite }: DecidedTarget): TargetStanding {
  const { time, windows, interventions } = observation;
  const others = (interventions ?? []).filter((intervention) => !isByFleetBrake(intervention));
  const { policy } = active;
  const limits = effectiveLimits(policy, { time, windows: windows ?? [], interventions: others });
  const isStopped = limits.stops.some(({ direction }) => direction !== 'Up');
  const isOverridden = others.some(({ kind }) => kind === 'Override');
  const isFree = mayWrite && !isStopped && !isOverridden;
  return {
    minReplicas: limits.minReplicas,
    isFree,
    rules: { version: active, limits: `${limits.minReplicas} ${limits.maxReplicas} ${isFree}` },
  };
}
