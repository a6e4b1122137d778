import { AdapterError } from '#kernel';
import type { StandingIntervention } from '#ledger';
import { fleetBrakeActor, isByFleetBrake } from '../interventions/intervention-scope.ts';
import type { StandingInterventions } from '../interventions/standing-interventions.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import type { LogPort } from '../ports/log.port.ts';

export interface BrakeSuspensionsOptions {
  readonly interventions: Pick<StandingInterventions, 'list' | 'begin' | 'endOf'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly log: LogPort;
  /** A new UUID. */
  readonly newId: () => string;
}

/** That the brake does not close where it is to. */
export interface BrakeFailure {
  /** RFC 3339. */
  readonly since: string;
  readonly message: string;
}

/** What a source would take, and for how long it is held. */
export interface SuspensionCause {
  /** How many of the source's targets would lose so much. */
  readonly losing: number;
  readonly targets: number;
  /** What is so much, of a target's replicas. */
  readonly replicasPercent: number;
  readonly minutes: number;
}

/** The latest suspension of a source. */
interface Closing {
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
  /** Operators have ended it. */
  readonly isReleased: boolean;
}

const never: Closing = { until: 0, isReleased: false };

/** So long before it expires a suspension is followed by another, while its cause lasts; a short one by half of it. */
const longestRenewalMilliseconds = 60_000;

/** A leader records in a second or two; one that hangs is taken over from, and its successor looks at its policies first. */
const awaitedMilliseconds = 60_000;

/**
 * The suspensions by which the fleet brake holds what sources of metrics scale: recorded, followed while their causes
 * last, and known for ended by operators where they go before they expire.
 */
export class BrakeSuspensions {
  readonly #options: BrakeSuspensionsOptions;
  /** By source, until the cause has ended. */
  readonly #closed = new Map<string, Closing>();
  readonly #beginning = new Map<string, Promise<void>>();
  /** By source, since when its suspension cannot be recorded, and why. */
  readonly #failing = new Map<string, BrakeFailure>();
  /** Since when the leader's suspension of a source is waited for here, by the monotonic clock. */
  readonly #awaited = new Map<string, number>();

  constructor(options: BrakeSuspensionsOptions) {
    this.#options = options;
  }

  /** Since when a source is held, RFC 3339; null: none is. */
  get closedSince(): string | null {
    const times = this.#options.interventions
      .list()
      .filter((standing) => isByFleetBrake(standing.intervention) && this.#leftOf(standing) > 0)
      .map(({ intervention: { since } }) => since ?? '');
    return times.toSorted()[0] ?? null;
  }

  /** Since when a source cannot be held that is to be, RFC 3339, and why; null: there is none. */
  get failing(): BrakeFailure | null {
    const [first] = [...this.#failing.values()].toSorted((one, other) => (one.since < other.since ? -1 : 1));
    return first ?? null;
  }

  /** Whether the suspension of a source that is to be held cannot be recorded. */
  isFailing(source: string): boolean {
    return this.#failing.has(source);
  }

  /** The sources whose causes have not ended, as far as this process knows. */
  get sources(): readonly string[] {
    return [...this.#closed.keys()];
  }

  /** The sources that operators have let go, until their causes have ended. */
  get released(): readonly string[] {
    return this.sources.filter((source) => this.isReleased(source));
  }

  isReleased(source: string): boolean {
    return this.#closed.get(source)?.isReleased === true;
  }

  /** Takes from another process that operators have let a source go, where nothing is known of it here. */
  noteReleased(source: string): void {
    if (!this.#closed.has(source)) this.#closed.set(source, { until: 0, isReleased: true });
  }

  /** The cause has ended: the source is forgotten once nothing holds it. */
  noteEnded(source: string): void {
    this.#noteHeld(source);
    if (this.#closed.has(source) && this.#lastOf(source) === undefined) this.#closed.delete(source);
  }

  /**
   * Follows what became of the suspension of a source whose cause lasts.
   *
   * @param minutes of each suspension
   * @returns whether nothing holds it for long enough: no suspension stands, nor was one ended
   */
  isDue(source: string, minutes: number): boolean {
    const isDue = this.#isDue(source, minutes);
    if (!isDue) this.#noteHeld(source);
    return isDue;
  }

  #isDue(source: string, minutes: number): boolean {
    const former = this.#closed.get(source) ?? never;
    const last = this.#lastOf(source);
    const until = last === undefined ? undefined : expiryOf(last);
    if (last === undefined || until === undefined || until < former.until)
      return this.#hasExpired(source, former);
    if (until !== former.until) this.#closed.set(source, { until, isReleased: false });
    return this.#leftOf(last) <= Math.min(longestRenewalMilliseconds, (minutes * 60_000) / 2);
  }

  /** Records a suspension of everything that the source scales, once however often it is asked for. @throws AdapterError */
  async begin(source: string, cause: SuspensionCause): Promise<void> {
    const beginning = this.#beginning.get(source) ?? this.#record(source, cause);
    this.#beginning.set(source, beginning);
    try {
      await beginning;
      this.#noteHeld(source);
    } catch (error) {
      this.#noteFailing(source, `the fleet brake cannot hold what ${source} scales`);
      throw error;
    } finally {
      this.#beginning.delete(source);
    }
  }

  /** Waits for the leader to record it, which a leader with other settings never does. */
  awaitLeader(source: string): void {
    const now = this.#options.clock.monotonicMilliseconds();
    const since = this.#awaited.get(source) ?? now;
    this.#awaited.set(source, since);
    if (now - since < awaitedMilliseconds) return;
    const message = `the leader records no suspension of what ${source} scales, though too much would be lost; each replica that counts so stops its own scale-ins`;
    this.#noteFailing(source, message);
  }

  #noteFailing(source: string, message: string): void {
    const since = this.#failing.get(source)?.since ?? this.#options.clock.now();
    this.#failing.set(source, { since, message });
  }

  /** Nothing is to be recorded any more, or it is. */
  #noteHeld(source: string): void {
    this.#failing.delete(source);
    this.#awaited.delete(source);
  }

  async #record(
    source: string,
    { losing, targets, replicasPercent, minutes }: SuspensionCause,
  ): Promise<void> {
    const { clock, interventions, log, newId } = this.#options;
    const since = clock.now();
    const expires = new Date(Date.parse(since) + minutes * 60_000).toISOString();
    const reason =
      `by ${source}, ${losing} of ${targets} targets would each lose ${replicasPercent} % ` +
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
    this.#closed.set(source, { until: Date.parse(expires), isReleased: false });
    log.write({
      level: 'warn',
      text: `fleet brake: ${reason}; nothing that it scales is scaled in until ${expires}, or until the suspension is ended`,
      fields: { metricSource: source, losing, targets, intervention: standing.id, expires },
    });
  }

  /**
   * Whether the latest suspension, which stands no more, has ended by itself, or there was none. One that is gone before
   * was ended by operators, also where the one before it stands for a moment.
   */
  #hasExpired(source: string, latest: Closing): boolean {
    if (latest.isReleased) return false;
    if (this.#left(latest.until) <= 0) return true;
    this.#closed.set(source, { ...latest, isReleased: true });
    return false;
  }

  #left(until: number): number {
    return until - Date.parse(this.#options.clock.now());
  }

  #leftOf(standing: StandingIntervention): number {
    return this.#left(this.#options.interventions.endOf(standing));
  }

  /** Of the suspensions that hold a source now the one that expires last; undefined: none does. */
  #lastOf(source: string): StandingIntervention | undefined {
    return this.#options.interventions
      .list()
      .filter(({ scope }) => scope.kind === 'MetricSource' && scope.metricSource === source)
      .filter((standing) => isByFleetBrake(standing.intervention) && this.#leftOf(standing) > 0)
      .toSorted((one, other) => expiryOf(other) - expiryOf(one))[0];
  }
}

function expiryOf({ intervention }: StandingIntervention): number {
  return Date.parse(intervention.expires);
}
