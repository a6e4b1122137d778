import type { Intervention } from '#decision';
import { AdapterError, compareInstants, type JsonObject, parseInstant } from '#kernel';
import {
  adminStream,
  type AppendFailure,
  type InterventionChanges,
  type LedgerPort,
  type LedgerWriter,
  maximumPageLimit,
  type OperatorActionPayload,
  type StandingIntervention,
} from '#ledger';
import type { ActivePolicy } from './active-policy.ts';
import { isByFleetBrake, mayActOn, scopeKey, scopesOf } from './intervention-scope.ts';
import type { ClockPort } from './ports/clock.port.ts';
import { expiryActor, interventionActions, interventionArguments } from './recorded-intervention.ts';

/** Interventions that may stand at a time: they are looked through in every pass, and read by people. */
export const maximumInterventions = maximumPageLimit;

export interface StandingInterventionsOptions {
  readonly ledger: Pick<LedgerPort, 'interventions'>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** Who ends an intervention, and why. */
export interface EndRequest {
  readonly actor: string;
  readonly reason: string;
  /** What its end does, for the ledger. */
  readonly effect?: JsonObject;
}

/** What the ledger has of a beginning beside the intervention itself. */
export interface RecordedBeginning {
  /** `Accepted` by default. */
  readonly outcome?: 'Accepted' | 'Forced';
  /** What it does. */
  readonly effect?: JsonObject;
}

/** Why an intervention neither began nor ended: what the ledger refused, or one more than may stand. */
export type InterventionFailure = AppendFailure | { readonly code: 'TooManyInterventions' };

/**
 * The interventions that stand, in memory as in the database. Each begins and ends in the transaction of the
 * `OperatorAction` entry that says so, so there is none that the ledger does not know of; one that expires is ended by
 * {@link StandingInterventions.endExpired}.
 */
export class StandingInterventions {
  readonly #options: StandingInterventionsOptions;
  readonly #listeners = new Set<(changed: StandingIntervention) => void>();
  /** Ids of those whose end is being recorded. */
  readonly #ending = new Set<string>();
  #all: readonly StandingIntervention[] = [];
  /** Beginnings and ends that this process stored. */
  #changes = 0;
  #byScope: ReadonlyMap<string, readonly StandingIntervention[]> = new Map();

  constructor(options: StandingInterventionsOptions) {
    this.#options = options;
  }

  /**
   * Goes on with those that the last process left; to be called before the first pass.
   *
   * @throws AdapterError
   */
  async restore(): Promise<void> {
    const stored = await this.#options.ledger.interventions({ limit: maximumPageLimit });
    const known = new Set(this.#all.map(({ id }) => id));
    this.#replace([...this.#all, ...stored.filter(({ id }) => !known.has(id))]);
  }

  /**
   * Takes over those that another process has begun and ended; to be called where that process records them. Nothing is
   * recorded.
   *
   * @throws AdapterError
   */
  async follow(): Promise<void> {
    const stored = await this.#readUnchanged();
    const known = new Map(this.#all.map((standing) => [standing.id, standing]));
    const begun = stored.filter(({ id }) => !known.has(id));
    const left = new Set(stored.map(({ id }) => id));
    const ended = this.#all.filter(({ id }) => !left.has(id));
    this.#replace(stored.map((standing) => known.get(standing.id) ?? standing));
    for (const changed of [...ended, ...begun]) this.#announce(changed);
  }

  /** What this process has recorded meanwhile may be missing in what was read before: then it is read again. */
  async #readUnchanged(): Promise<readonly StandingIntervention[]> {
    for (;;) {
      const changes = this.#changes;
      const stored = await this.#options.ledger.interventions({ limit: maximumPageLimit });
      if (changes === this.#changes) return stored;
    }
  }

  /** Those that have begun and not ended, by their beginning. */
  list(): readonly StandingIntervention[] {
    return this.#all;
  }

  /** Those for a policy that act at `time` (RFC 3339), by their beginning: the observation's. */
  actingOn(policy: ActivePolicy, time: string): readonly Intervention[] {
    const standing = this.#for(policy);
    if (standing.length === 0) return standing;
    return standing.filter((intervention) => isBefore(time, intervention.expires));
  }

  /** Milliseconds from `time` (RFC 3339) until the first of those for a policy expires; null: none does. */
  untilNextExpiry(policy: ActivePolicy, time: string): number | null {
    const left = this.actingOn(policy, time).map(({ expires }) => Date.parse(expires) - Date.parse(time));
    return left.length === 0 ? null : Math.max(0, Math.min(...left));
  }

  /**
   * Records the beginning, and lets it act.
   *
   * @throws AdapterError; it then does not act.
   */
  async begin(
    standing: StandingIntervention,
    { outcome = 'Accepted', effect }: RecordedBeginning = {},
  ): Promise<InterventionFailure | null> {
    if (this.#all.length >= maximumInterventions) return { code: 'TooManyInterventions' };
    const { kind, actor = null, reason = null } = standing.intervention;
    const failure = await this.#record(
      {
        actor: actor ?? expiryActor,
        action: interventionActions[kind].begin,
        outcome,
        reason,
        arguments: interventionArguments(standing),
        ...(effect === undefined ? {} : { effect }),
      },
      { begin: [standing] },
    );
    if (failure !== null) return failure;
    this.#changes += 1;
    this.#replace([...this.#all, standing]);
    this.#announce(standing);
    return null;
  }

  /**
   * Records the end, and lets it act no more.
   *
   * @returns `InterventionEnded` where it does not stand.
   * @throws AdapterError; it then goes on.
   */
  async end(id: string, request: EndRequest): Promise<InterventionFailure | null> {
    const standing = this.#all.find((each) => each.id === id);
    if (standing === undefined) return { code: 'InterventionEnded' };
    const failure = await this.#end(standing, request);
    if (!this.#all.includes(standing)) this.#announce(standing);
    return failure;
  }

  /** Records the ends of those that have expired. What cannot be recorded yet stays, without acting, for the next call. */
  async endExpired(): Promise<void> {
    const now = this.#options.clock.now();
    const expired = this.#all.filter(
      ({ id, intervention }) => !this.#ending.has(id) && !isBefore(now, intervention.expires),
    );
    await Promise.all(expired.map((standing) => this.#endExpired(standing)));
  }

  /** Calls the listener whenever an intervention has begun or ended; it must not throw. Returns what ends it. */
  subscribe(listener: (changed: StandingIntervention) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #end(
    standing: StandingIntervention,
    { actor, reason, effect }: EndRequest,
  ): Promise<InterventionFailure | null> {
    const action = interventionActions[standing.intervention.kind].end;
    const failure = await this.#record(
      {
        actor,
        action,
        outcome: 'Accepted',
        reason,
        arguments: interventionArguments(standing),
        ...(effect === undefined ? {} : { effect }),
      },
      { end: [standing.id] },
    );
    if (failure !== null && failure.code !== 'InterventionEnded') return failure;
    this.#changes += 1;
    this.#replace(this.#all.filter((each) => each !== standing));
    return failure;
  }

  /** It acts no more already, and passes are due when it expires: no pass needs another. */
  async #endExpired(standing: StandingIntervention): Promise<void> {
    const { id } = standing;
    this.#ending.add(id);
    try {
      await this.#end(standing, { actor: expiryActor, reason: 'it has expired' });
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
    } finally {
      this.#ending.delete(id);
    }
  }

  async #record(
    payload: OperatorActionPayload,
    interventions: InterventionChanges,
  ): Promise<AppendFailure | null> {
    const { writer, clock } = this.#options;
    const draft = {
      stream: adminStream,
      kind: 'OperatorAction',
      time: clock.now(),
      payload,
    } as const;
    const appended = await writer.append({ drafts: [draft], interventions });
    return appended.ok ? null : appended.error;
  }

  #replace(all: readonly StandingIntervention[]): void {
    this.#all = all.toSorted(byBeginning);
    this.#byScope = Map.groupBy(this.#all, ({ scope }) => scopeKey(scope));
  }

  #announce(changed: StandingIntervention): void {
    for (const listener of this.#listeners) listener(changed);
  }

  #for(active: ActivePolicy): readonly Intervention[] {
    if (this.#all.length === 0) return [];
    const found = scopesOf(active).flatMap((scope) => this.#byScope.get(scopeKey(scope)) ?? []);
    const isOverridden = found.some(({ intervention: { kind } }) => kind === 'Override');
    const acting = found.filter(
      ({ intervention }) =>
        mayActOn(active.policy, intervention.kind) && !(isOverridden && isByFleetBrake(intervention)),
    );
    return acting.toSorted(byBeginning).map(({ intervention }) => intervention);
  }
}

function byBeginning(one: StandingIntervention, other: StandingIntervention): number {
  const [left, right] = [one.intervention.since ?? '', other.intervention.since ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function isBefore(time: string, other: string): boolean {
  const [one, two] = [parseInstant(time), parseInstant(other)];
  return one !== undefined && two !== undefined && compareInstants(one, two) < 0;
}
