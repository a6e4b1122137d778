import type { Intervention } from '#decision';
import { AdapterError, compareInstants, type JsonObject, parseInstant } from '#kernel';
import {
  adminStream,
  type AppendFailure,
  forEachPage,
  type InterventionChanges,
  type InterventionScope,
  type LedgerPort,
  type LedgerWriter,
  type OperatorActionPayload,
  scopeName,
  type StandingIntervention,
} from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import { InterventionExpiries } from './intervention-expiries.ts';
import { isByFleetBrake, mayActOn, scopesOf } from './intervention-scope.ts';
import { type FullShare, fullShareOf } from './intervention-shares.ts';
import { expiryActor, interventionActions, interventionArguments } from './recorded-intervention.ts';

/** Of most policies. */
const none: readonly never[] = [];

export interface StandingInterventionsOptions {
  readonly ledger: Pick<LedgerPort, 'interventions'>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
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

/** Why an intervention neither began nor ended: what the ledger refused, or whose places are all taken. */
export type InterventionFailure =
  AppendFailure | { readonly code: 'TooManyInterventions'; readonly share: FullShare };

/**
 * The interventions that stand, in memory as in the database. Each begins and ends in the transaction of the
 * `OperatorAction` entry that says so, so there is none that the ledger does not know of; one that expires is ended by
 * {@link StandingInterventions.endExpired}.
 */
export class StandingInterventions {
  readonly #options: StandingInterventionsOptions;
  readonly #expiries: InterventionExpiries;
  readonly #listeners = new Set<(changed: StandingIntervention) => void>();
  /** Ids of those whose end is being recorded. */
  readonly #ending = new Set<string>();
  #all: readonly StandingIntervention[] = [];
  /** Beginnings and ends that this process stored. */
  #changes = 0;
  #byScope: ReadonlyMap<string, readonly StandingIntervention[]> = new Map();

  constructor(options: StandingInterventionsOptions) {
    this.#options = options;
    this.#expiries = new InterventionExpiries(options.clock);
  }

  /**
   * Goes on with those that the last process left; to be called before the first pass.
   *
   * @throws AdapterError
   */
  async restore(): Promise<void> {
    const stored = await this.#read();
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
      const stored = await this.#read();
      if (changes === this.#changes) return stored;
    }
  }

  async #read(): Promise<readonly StandingIntervention[]> {
    const stored: StandingIntervention[] = [];
    await forEachPage(
      (page) => this.#options.ledger.interventions(page),
      ({ id }) => id,
      (standing) => stored.push(standing),
    );
    return stored;
  }

  /** Those that have begun and not ended, by their beginning. */
  list(): readonly StandingIntervention[] {
    return this.#all;
  }

  /**
   * The time for the beginning of one of a scope: now, or just after the last beginning where the clock was ahead then.
   * Of several overrides the one with the latest beginning acts, and it is to be the one set last.
   */
  beginningOf(scope: InterventionScope): string {
    const others = this.#byScope.get(scopeName(scope)) ?? [];
    const latest = others.map(({ intervention: { since } }) => Date.parse(since ?? '') || 0);
    return new Date(
      Math.max(Date.parse(this.#options.clock.now()), ...latest.map((time) => time + 1)),
    ).toISOString();
  }

  /** Whose places are all taken where one with this scope and actor is to begin; null: there is one for it. */
  fullShareFor(begun: StandingIntervention): FullShare | null {
    return fullShareOf(this.#all, begun);
  }

  /** When one of the list ends, as the clock goes now, in milliseconds since 1970; later than it expires while that is in doubt. */
  endOf(standing: StandingIntervention): number {
    return this.#expiries.endOf(standing);
  }

  /**
   * Those for a policy that act at `time` (RFC 3339; about now), by their beginning: the observation's. One that has
   * expired by a clock that has jumped acts, and expires there when it will have ended as that clock goes.
   */
  actingOn(policy: ActivePolicy, time: string): readonly Intervention[] {
    const acting = this.#for(policy);
    if (acting.length === 0) return none;
    return acting
      .map((standing) =>
        isBefore(time, standing.intervention.expires) ? standing.intervention : this.#putOff(standing),
      )
      .filter((intervention) => isBefore(time, intervention.expires));
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
    const share = this.fullShareFor(standing);
    if (share !== null) return { code: 'TooManyInterventions', share };
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
    this.#expiries.noteBeginning(standing);
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
    this.#expiries.look(this.#all);
    const expired = this.#all.filter(
      (standing) => !this.#ending.has(standing.id) && this.#expiries.hasEnded(standing),
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
    this.#byScope = Map.groupBy(this.#all, ({ scope }) => scopeName(scope));
  }

  #announce(changed: StandingIntervention): void {
    for (const listener of this.#listeners) listener(changed);
  }

  #putOff(standing: StandingIntervention): Intervention {
    return { ...standing.intervention, expires: new Date(this.endOf(standing)).toISOString() };
  }

  #for(active: ActivePolicy): readonly StandingIntervention[] {
    if (this.#all.length === 0) return none;
    const found = scopesOf(active).flatMap((scope) => this.#byScope.get(scopeName(scope)) ?? []);
    const isOverridden = found.some(({ intervention: { kind } }) => kind === 'Override');
    const acting = found.filter(
      ({ intervention }) =>
        mayActOn(active.policy, intervention.kind) && !(isOverridden && isByFleetBrake(intervention)),
    );
    return acting.toSorted(byBeginning);
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
