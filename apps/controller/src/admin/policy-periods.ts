import type { EntryKind, EntryOf, LedgerPort, StandingIntervention } from '#ledger';
import {
  type ActivePolicy,
  type ClockPort,
  expiryActor,
  isInScope,
  recordedIntervention,
} from '#reconciliation';
import { mayAct, type Principal } from '../auth/principal.ts';
import { nanosecondsAt, pastTime } from './check-query.ts';
import { QueryError } from './query-error.ts';
import type { SourceAccess } from './source-access.ts';

/** Which time. */
export interface PeriodRequest {
  /** RFC 3339, inclusive. */
  readonly from: string;
  /** RFC 3339, exclusive; absent: now. */
  readonly until?: string | undefined;
}

/** An intervention that acted on a policy, and how it ended. */
export interface PastIntervention {
  readonly standing: StandingIntervention;
  /** How it ended; null: it had not by the end of the time that was asked for. */
  readonly end: InterventionEnding | null;
}

/** When an intervention ended, RFC 3339, and by whom; the controller ends what has expired. */
export interface InterventionEnding {
  readonly time: string;
  readonly actor: string;
  readonly reason: string | null;
}

/** What acted on a policy from outside its own entries. */
export interface PolicyPeriod {
  /** Those that acted at any moment of it, those that began last first. */
  readonly interventions: readonly PastIntervention[];
  /** Of its source, newest first; empty for who may not see all of the source. */
  readonly syncs: readonly EntryOf<'SyncRun'>[];
  /** False: there was more than is looked through or answered; the oldest are left out. */
  readonly isComplete: boolean;
}

/** No intervention is longer: what acted within a time has begun so long before it at most. */
const longestIntervention = 168n * 3_600n * 1_000_000_000n;

/** As long as a chart covers. */
const maximumDays = 31;
const dayMilliseconds = 86_400_000;

/** Entries of a kind that are looked through: some 50 ms of the database. */
const maximumEntries = 5_000;
const entriesPerRead = 500;

/** As many marks as a chart has room for, of each. */
const maximumFound = 100;

interface PeriodPorts {
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly access: Pick<SourceAccess, 'isWholeVisible'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** What happened around a policy: to its namespace, its source, the sources of its metrics, and the cluster. */
export class PolicyPeriods {
  readonly #ports: PeriodPorts;

  constructor(ports: PeriodPorts) {
    this.#ports = ports;
  }

  /**
   * By the policy as it is now: which source it comes from, and which metrics it has. Null: the caller may not see it.
   *
   * @throws QueryError `BadTime`
   */
  async find(caller: Principal, active: ActivePolicy, request: PeriodRequest): Promise<PolicyPeriod | null> {
    const range = this.#rangeOf(request);
    if (!mayAct(caller, 'viewer', active.policy.namespace)) return null;
    const { source } = active.origin;
    const isSourceVisible = this.#ports.access.isWholeVisible(caller, source);
    const [actions, syncs] = await Promise.all([
      this.#read('OperatorAction', { ...range, from: range.from - longestIntervention }),
      isSourceVisible ? this.#read('SyncRun', range) : nothing,
    ]);
    const interventions = pastInterventions(actions.entries, active)
      .map((past) => expiredBy(past, range.until))
      .filter(({ end }) => end === null || nanosecondsAt('time', end.time) > range.from);
    const own = syncs.entries.filter(({ payload }) => payload.source === source);
    const isCut = interventions.length > maximumFound || own.length > maximumFound;
    return {
      interventions: interventions.slice(0, maximumFound),
      syncs: own.slice(0, maximumFound),
      isComplete: actions.isComplete && syncs.isComplete && !isCut,
    };
  }

  #rangeOf({ from, until }: PeriodRequest): Range {
    const now = this.#ports.clock.now();
    const [start, end] = [
      pastTime('from', from, now),
      until === undefined ? now : pastTime('until', until, now),
    ];
    const length = Date.parse(end) - Date.parse(start);
    if (length <= 0) throw new QueryError('BadTime', `until is ${end}, which is not after ${from}`);
    if (length > maximumDays * dayMilliseconds) {
      throw new QueryError(
        'BadTime',
        `a period covers ${maximumDays} days at most, and this is ${from} to ${end}`,
      );
    }
    return { from: nanosecondsAt('from', start), until: nanosecondsAt('until', end) };
  }

  async #read<K extends EntryKind>(kind: K, range: Range): Promise<Read<K>> {
    const entries: EntryOf<K>[] = [];
    let after = {};
    for (;;) {
      const page = await this.#ports.ledger.entries({
        ...range,
        ...after,
        kinds: [kind],
        order: 'NewestFirst',
        limit: entriesPerRead,
      });
      // They are of the kind that was asked for.
      entries.push(...page.items.map(({ entry }) => entry as unknown as EntryOf<K>));
      const last = page.items.at(-1)?.cursor;
      if (!page.hasMore || last === undefined) return { entries, isComplete: true };
      if (entries.length >= maximumEntries) return { entries, isComplete: false };
      after = { after: last };
    }
  }
}

/** Nanoseconds since 1970. */
interface Range {
  readonly from: bigint;
  readonly until: bigint;
}

interface Read<K extends EntryKind> {
  /** Newest first. */
  readonly entries: readonly EntryOf<K>[];
  readonly isComplete: boolean;
}

const nothing: Read<'SyncRun'> = { entries: [], isComplete: true };

/** Those in whose scope the policy is, each with its end, which comes first in the order of the entries. */
function pastInterventions(
  newestFirst: readonly EntryOf<'OperatorAction'>[],
  active: ActivePolicy,
): readonly PastIntervention[] {
  const ends = new Map<string, InterventionEnding>();
  return newestFirst.flatMap(({ payload, time }) => {
    const recorded = recordedIntervention(payload, time);
    if (recorded === null) return [];
    const { what, standing } = recorded;
    if (what === 'Ended') {
      ends.set(standing.id, endingOf(standing, payload, time));
      return [];
    }
    return isInScope(standing.scope, active) ? [{ standing, end: ends.get(standing.id) ?? null }] : [];
  });
}

/** One that has expired has ended, also before that is recorded. */
function expiredBy({ standing, end }: PastIntervention, until: bigint): PastIntervention {
  const { expires } = standing.intervention;
  if (end !== null || nanosecondsAt('expires', expires) >= until) return { standing, end };
  return { standing, end: { time: expires, actor: expiryActor, reason: null } };
}

/** What has expired acts no more from then on, however much later that is recorded. */
function endingOf(
  { intervention: { expires } }: StandingIntervention,
  { actor, reason }: EntryOf<'OperatorAction'>['payload'],
  time: string,
): InterventionEnding {
  return { time: Date.parse(expires) < Date.parse(time) ? expires : time, actor, reason };
}
