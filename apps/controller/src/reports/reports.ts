import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { fileFault, type JsonObject, messageOf } from '#kernel';
import type { LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { localText, type ReportRequest } from '#report';
import { recordAccepted } from '../admin/actions/record-accepted.ts';
import { QueryError } from '../admin/requests/query-error.ts';
import { mayAct, ownerOf, type Principal, visibleNamespaces } from '../auth/callers/principal.ts';
import { recordedNames } from '../exports/recorded-filter.ts';
import { HourlyLimit } from './hourly-limit.ts';
import type { ReportFolder, ReportRecord } from './report-folder.ts';
import { type ReportOrder, requestOf } from './report-order.ts';
import type { ReportPress } from './report-press.ts';

export interface ReportsOptions {
  readonly folder: ReportFolder;
  readonly press: Pick<ReportPress, 'make'>;
  readonly limits: Pick<Configuration['reports'], 'keepDays' | 'maximumMegabytes' | 'folderMegabytes'>;
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Reports that wait or are made, of all callers and of one person: each is minutes of a thread. */
const maximumPending = 20;
const maximumPendingOfOwner = 4;

/** What one person does within an hour: each stays in the ledger for ever. */
const maximumMadeHourly = 100;
const maximumReadHourly = 1_000;

/** Reports that are kept, however small. */
const maximumKept = 1_000;

const dayMilliseconds = 86_400_000;
const megabyte = 1024 ** 2;

/** A report as its readers see it. */
export interface ReportView extends ReportRecord {
  /** RFC 3339: it is kept until then, unless newer ones need the room; null: it is not made. */
  readonly expiresAt: string | null;
}

/** A report whose text can be read. */
export type ReadyReport = ReportView & { readonly bytes: number };

/** Reports that callers ask for: recorded, made one after the other beside everything else, and kept for a while. */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #records = new Map<string, ReportRecord>();
  readonly #making = new Set<Promise<void>>();
  readonly #made = new HourlyLimit(maximumMadeHourly);
  readonly #read = new HourlyLimit(maximumReadHourly);
  #ending = new AbortController();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** What an earlier process has made; what it has not is failed. */
  async start(): Promise<void> {
    this.#ending = new AbortController();
    const { records, unread } = await this.#options.folder.load();
    if (unread[0] !== undefined) {
      this.#options.logger.warn(
        { reports: unread.length, reason: unread[0].message },
        'some reports cannot be read, and are not listed; they stay where they are, and are looked for at the next start',
      );
    }
    for (const record of records) {
      const isPending = record.state === 'Waiting' || record.state === 'Making';
      if (isPending) await this.#save({ ...record, ...this.#failed('the process ended before it was made') });
      else this.#records.set(record.id, record);
    }
    await this.#forgetExpired();
  }

  /** Ends what is made; it is failed. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#making);
  }

  /** The caller's own, newest first; to an administrator of all namespaces, everyone's. */
  list(caller: Principal): readonly ReportView[] {
    return [...this.#records.values()]
      .filter((record) => isVisible(caller, record) && !this.#isExpired(record))
      .toSorted((one, other) => (one.requestedAt < other.requestedAt ? 1 : -1))
      .map((record) => this.#viewOf(record));
  }

  /** Null: there is none that the caller may see. */
  find(caller: Principal, id: string): ReportView | null {
    const record = this.#records.get(id);
    if (record === undefined || !isVisible(caller, record) || this.#isExpired(record)) return null;
    return this.#viewOf(record);
  }

  /** @throws QueryError `UnknownReport` */
  require(caller: Principal, id: string): ReportView {
    const found = this.find(caller, id);
    if (found !== null) return found;
    throw new QueryError('UnknownReport', `no report has the id ${id}`);
  }

  /**
   * Records that the caller asks for a report, and has it made.
   *
   * @throws QueryError `BadArgument`, `BadTime`, `TooManyReports`
   * @throws AdapterError where it cannot be kept or recorded
   */
  async request(caller: Principal, order: ReportOrder): Promise<ReportView> {
    const request = requestOf(order, caller, this.#options.clock.now());
    this.#requireRoom(ownerOf(caller));
    this.#requireLeft(this.#made, caller, `makes ${maximumMadeHourly} reports`);
    const record = this.#recordOf(caller, order, request);
    // Before anything is awaited: requests at the same moment count each other.
    this.#records.set(record.id, record);
    try {
      await this.#forgetExpired();
      await this.#save(record);
      await this.#record(caller, 'MakeReport', argumentsOf(record));
    } catch (error) {
      const { folder, logger } = this.#options;
      logger.warn({ report: record.id, reason: messageOf(error) }, 'a report could not be begun');
      this.#records.delete(record.id);
      await folder.remove(record.id).catch(() => undefined);
      throw error;
    }
    const making = this.#make(record, request).finally(() => this.#making.delete(making));
    this.#making.add(making);
    return this.#viewOf(record);
  }

  /** A report that is Ready. @throws QueryError `UnknownReport`, `ReportNotReady` */
  requireText(caller: Principal, id: string): ReadyReport {
    const report = this.require(caller, id);
    const { state, bytes } = report;
    if (state === 'Ready' && bytes !== null) return { ...report, bytes };
    throw new QueryError('ReportNotReady', `the report is ${state}${reasonOf(report)}`);
  }

  /**
   * Records that the caller reads a report, and opens its text.
   *
   * @throws QueryError `UnknownReport`, `ReportNotReady`, `TooManyReports`
   * @throws AdapterError where it cannot be read or recorded
   */
  async openText(caller: Principal, id: string): Promise<Readable> {
    this.requireText(caller, id);
    const text = await this.#options.folder.openText(id);
    if (text === null) throw new QueryError('UnknownReport', `no report has the id ${id}`);
    try {
      this.#requireLeft(this.#read, caller, `reads reports ${maximumReadHourly} times`);
      await this.#record(caller, 'ReadReport', { id });
      return text;
    } catch (error) {
      text.destroy();
      throw error;
    }
  }

  async #make(record: ReportRecord, request: ReportRequest): Promise<void> {
    const { folder, press, limits, logger } = this.#options;
    const begin = (): Promise<void> => this.#save({ ...record, state: 'Making' });
    try {
      const { bytes, verification, nothingMatches } = await press.make(
        {
          request,
          format: record.format,
          file: folder.textFile(record.id),
          maximumBytes: limits.maximumMegabytes * megabyte,
        },
        { signal: this.#ending.signal, begin },
      );
      const finishedAt = this.#options.clock.now();
      await this.#save({ ...record, state: 'Ready', finishedAt, bytes, verification, nothingMatches });
      await this.#makeRoom();
    } catch (error) {
      const problem = fileFault(error);
      logger.warn({ report: record.id, reason: problem }, 'a report could not be made');
      const failed = { ...record, ...this.#failed(problem) };
      this.#records.set(record.id, failed);
      await Promise.all([folder.removeText(record.id), folder.save(failed)]).catch((late: unknown) => {
        logger.warn({ report: record.id, reason: messageOf(late) }, 'a report could not be kept');
      });
    }
  }

  #failed(problem: string): Pick<ReportRecord, 'state' | 'finishedAt' | 'problem'> {
    return { state: 'Failed', finishedAt: this.#options.clock.now(), problem };
  }

  #requireRoom(owner: string): void {
    const pending = [...this.#records.values()].filter(isPending);
    const own = pending.filter((record) => record.owner === owner).length;
    if (own >= maximumPendingOfOwner)
      throw new QueryError('TooManyReports', `${own} reports of ${owner} are not made yet`);
    if (pending.length >= maximumPending)
      throw new QueryError('TooManyReports', `${pending.length} reports are not made yet`);
  }

  #requireLeft(limit: HourlyLimit, caller: Principal, what: string): void {
    const owner = ownerOf(caller);
    if (limit.take(owner, Date.parse(this.#options.clock.now()))) return;
    throw new QueryError('TooManyReports', `${owner} ${what} within an hour, and no more: ask again later`);
  }

  /** Removes the oldest, so that the folder keeps within its bound while the next one is made. */
  async #makeRoom(): Promise<void> {
    const { folderMegabytes, maximumMegabytes } = this.#options.limits;
    const room = Math.max(maximumMegabytes, folderMegabytes - maximumMegabytes) * megabyte;
    const finished = [...this.#records.values()]
      .filter((record) => !isPending(record))
      .toSorted((one, other) => ((one.finishedAt ?? '') < (other.finishedAt ?? '') ? 1 : -1));
    let bytes = 0;
    for (const [index, record] of finished.entries()) {
      bytes += record.bytes ?? 0;
      if (index > 0 && (bytes > room || index >= maximumKept)) await this.#remove(record.id);
    }
  }

  async #forgetExpired(): Promise<void> {
    for (const record of [...this.#records.values()])
      if (this.#isExpired(record)) await this.#remove(record.id);
    await this.#makeRoom();
  }

  async #remove(id: string): Promise<void> {
    this.#records.delete(id);
    await this.#options.folder.remove(id);
  }

  #isExpired(record: ReportRecord): boolean {
    const end = this.#expiryOf(record);
    return end !== null && end <= this.#options.clock.now();
  }

  #expiryOf({ finishedAt }: ReportRecord): string | null {
    if (finishedAt === null) return null;
    return new Date(Date.parse(finishedAt) + this.#options.limits.keepDays * dayMilliseconds).toISOString();
  }

  #viewOf(record: ReportRecord): ReportView {
    return { ...record, expiresAt: this.#expiryOf(record) };
  }

  #recordOf(caller: Principal, { format }: ReportOrder, request: ReportRequest): ReportRecord {
    const { period, filter, price } = request;
    const { from, until, timeZone } = period;
    return {
      id: randomUUID(),
      state: 'Waiting',
      format: format ?? 'json',
      period: { from: localText(from, timeZone), until: localText(until, timeZone), timeZone },
      filter,
      price: price === null ? null : { perReplicaHour: price.text, currency: price.currency },
      owner: ownerOf(caller),
      requestedAt: this.#options.clock.now(),
      finishedAt: null,
      bytes: null,
      verification: null,
      nothingMatches: null,
      problem: null,
    };
  }

  async #record(caller: Principal, action: 'MakeReport' | 'ReadReport', given: JsonObject): Promise<void> {
    await recordAccepted(this.#options, { actor: caller.name, action, reason: null, arguments: given });
  }

  async #save(record: ReportRecord): Promise<void> {
    await this.#options.folder.save(record);
    this.#records.set(record.id, record);
  }
}

/** As the ledger has it. */
function argumentsOf({ id, format, period, filter, price }: ReportRecord): JsonObject {
  return {
    id,
    format,
    period: { ...period },
    filter: {
      ...filter,
      namespaces: recordedNames(filter.namespaces),
      policies: recordedNames(filter.policies),
      teams: recordedNames(filter.teams),
      visibleNamespaces: recordedNames(filter.visibleNamespaces),
    },
    price: price === null ? null : { ...price },
  };
}

function isPending({ state }: ReportRecord): boolean {
  return state === 'Waiting' || state === 'Making';
}

function reasonOf({ problem }: ReportRecord): string {
  return problem === null ? '' : `: ${problem}`;
}

/** A person sees its own reports while it may view all that is in them; administrators see everyone's. */
function isVisible(caller: Principal, { owner, filter }: ReportRecord): boolean {
  if (mayAct(caller, 'admin', null)) return true;
  if (owner !== ownerOf(caller)) return false;
  const scope = visibleNamespaces(caller, 'viewer');
  if (scope.kind === 'All') return true;
  return filter.visibleNamespaces?.every((pattern) => scope.patterns.includes(pattern)) ?? false;
}
