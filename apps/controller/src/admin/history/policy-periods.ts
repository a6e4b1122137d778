import type { EntryOf, LedgerPort } from '#ledger';
import { type ActivePolicy, type ClockPort, isInScope } from '#reconciliation';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import { nanosecondsAt, pastTime } from '../requests/check-query.ts';
import { LongReads } from '../requests/long-reads.ts';
import { QueryError } from '../requests/query-error.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { longestIntervention, type PastIntervention, PastInterventions } from './past-interventions.ts';

/** Which time. */
export interface PeriodRequest {
  /** RFC 3339, inclusive. */
  readonly from: string;
  /** RFC 3339, exclusive; absent: now. */
  readonly until?: string | undefined;
  /** Of whoever may leave before the answer. */
  readonly signal?: AbortSignal | undefined;
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

/** As long as a chart covers. */
const maximumDays = 31;
const dayMilliseconds = 86_400_000;

/** Entries of a kind that are looked through: some 50 ms of the database. */
const bounds = { maximum: 5_000, perRead: 500 } as const;

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
  readonly #reads: LongReads;

  constructor(ports: PeriodPorts) {
    this.#ports = ports;
    this.#reads = new LongReads(ports.ledger);
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
    const found = new PastInterventions((scope) => isInScope(scope, active));
    const syncs: EntryOf<'SyncRun'>[] = [];
    const [hasAllActions, hasAllSyncs] = await Promise.all([
      this.#reads.each(
        { ...bounds, ...range, kind: 'OperatorAction', from: range.from - longestIntervention },
        (entry) => found.add(entry),
        request.signal,
      ),
      !isSourceVisible ||
        this.#reads.each(
          { ...bounds, ...range, kind: 'SyncRun' },
          (entry) => {
            if (entry.payload.source === source && syncs.length <= maximumFound) syncs.push(entry);
          },
          request.signal,
        ),
    ]);
    const interventions = found
      .listBy(range.until)
      .filter(({ end }) => end === null || nanosecondsAt('time', end.time) > range.from);
    const isCut = interventions.length > maximumFound || syncs.length > maximumFound;
    return {
      interventions: interventions.slice(0, maximumFound),
      syncs: syncs.slice(0, maximumFound),
      isComplete: hasAllActions && hasAllSyncs && !isCut,
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
}

/** Nanoseconds since 1970. */
interface Range {
  readonly from: bigint;
  readonly until: bigint;
}
