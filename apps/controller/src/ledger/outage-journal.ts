import { dirname } from 'node:path';
import { makeFolder } from '#files';
import { AdapterError, fileFault, messageOf, ok, type Result } from '#kernel';
import {
  type Fence,
  type FencePort,
  type JournalRecord,
  journalRecordOf,
  type LedgerPort,
  type LedgerWriter,
  type ParsedJournal,
  type PlacedRecord,
} from '#ledger';
import type { ClockPort, JournalPort, JournalRefusal, JournalRequest } from '#reconciliation';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { Shards } from '../coordination/shards/shards.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { JournalDelivery, type PendingRecord } from './journal-delivery.ts';
import { JournalFences, scopeOfRecord } from './journal-fences.ts';
import { JournalFile, type RecordPlace } from './journal-file.ts';
import { OutageReports, type Refusing } from './outage-reports.ts';

export interface OutageJournalOptions {
  /** The journal's file, in the data folder. */
  readonly path: string;
  /** For tests; 64 MiB by default. */
  readonly maximumBytes?: number;
  /** Locks the file for this process. @throws AdapterError naming who holds it */
  readonly lock: (path: string) => { readonly release: () => void };
  readonly ledger: Pick<LedgerPort, 'journalPlace' | 'newestEntry'>;
  /** The id of the ledger, which a journal is for. @throws AdapterError where the database fails */
  readonly ledgerId: () => Promise<string>;
  readonly writer: Pick<LedgerWriter, 'under'>;
  readonly shards: Pick<Shards, 'scopeOf' | 'held'>;
  readonly holdings: Pick<Holdings, 'holds' | 'of'>;
  readonly fencePort: Pick<FencePort, 'take' | 'renew' | 'giveUp' | 'epochOf'>;
  /** Of this process, and of no other. */
  readonly holder: string;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: FieldLogger;
}

/** Often enough for policies that wait, and seldom enough for a database that comes up. */
const replayMilliseconds = 1_000;

interface Waiting {
  readonly request: JournalRequest;
  readonly resolve: (kept: Result<undefined, JournalRefusal>) => void;
}

/**
 * Keeps what passes decide while the database takes nothing, and appends it to the ledger afterwards: in order, and once,
 * since the ledger stores the place in the journal together with the entries.
 *
 * A record is appended to its policy's own stream as long as this process holds the shard and no other has held it since;
 * else it goes to the policy's `late:` stream, with its epoch.
 */
export class OutageJournal implements JournalPort {
  readonly #options: OutageJournalOptions;
  #file: JournalFile | null = null;
  #lock: { readonly release: () => void } | null = null;
  /** Why nothing can be kept; null: it can. */
  #broken: string | null = 'the journal is not open';
  #lastNumber = 0;
  readonly #fences: JournalFences;
  readonly #reports: OutageReports;
  readonly #pending: PendingRecord[] = [];
  #delivery: JournalDelivery | null = null;
  #waiting: Waiting[] = [];
  #isWriting = false;
  /** Two replays at a time would append the same records. */
  #isReplaying = false;
  #fileWork: Promise<void> = Promise.resolve();
  #replaying: Promise<void> = Promise.resolve();
  #cancel: (() => void) | null = null;
  #isClosed = false;

  constructor(options: OutageJournalOptions) {
    this.#options = options;
    this.#reports = new OutageReports(options);
    this.#fences = new JournalFences({ ...options, journal: () => this.#file?.id ?? '' });
  }

  get isInUse(): boolean {
    return this.#pending.length > 0 || this.#waiting.length > 0 || this.#isWriting;
  }

  /** Since when the database has taken nothing of what was decided, RFC 3339; null: it has everything. */
  get since(): string | null {
    return this.#reports.since;
  }

  /** Why, as of the latest attempt; null: it has everything. */
  get reason(): string | null {
    return this.#reports.reason;
  }

  /** Since when the journal has taken nothing either, or there is none, and why; null: it would. */
  get refusing(): Refusing | null {
    return this.#reports.refusing;
  }

  /** Records that wait for the ledger, their bytes, and requests that were not kept since the start. */
  get counts(): { readonly records: number; readonly bytes: number; readonly refusals: number } {
    const bytes = this.#pending.reduce((sum, { length }) => sum + length, 0);
    return { records: this.#pending.length, bytes, refusals: this.#reports.refusals };
  }

  /** Resolves when nothing is being written or replayed. */
  get whenIdle(): Promise<unknown> {
    return Promise.all([this.#fileWork, this.#replaying]);
  }

  /**
   * Opens the file. What a process before left there goes to the late streams where another has taken over since. A
   * journal that cannot be opened keeps nothing else from working.
   *
   * @throws AdapterError where the database fails
   */
  async open(): Promise<void> {
    const { path, lock, logger, ledger, fencePort, maximumBytes } = this.#options;
    const ledgerId = await this.#options.ledgerId();
    try {
      await makeFolder(dirname(path), 0o700);
      this.#lock = lock(path);
      const { file, found, problems } = await JournalFile.open(path, ledgerId, maximumBytes);
      this.#file = file;
      this.#broken = null;
      const read = (portion: readonly PendingRecord[]): Promise<readonly JournalRecord[]> =>
        this.#readAll(portion);
      this.#delivery = new JournalDelivery({ journal: file.id, ledger, read, logger });
      for (const message of problems) logger.warn({ file: path }, message);
      const place = await ledger.journalPlace(file.id);
      const missing = [...missingBefore(found, place), ...found.missing.filter((number) => number > place)];
      if (missing.length > 0)
        logger.warn({ file: path, missing }, 'records of the journal are damaged, and lost');
      this.#takeFound(found.records, place);
    } catch (error) {
      if (this.#file !== null) throw error;
      this.#break(fileFault(error));
      return;
    }
    const lasts = [...this.#lastEpochs()];
    if (lasts.length === 0) return;
    const epochs = await Promise.all(lasts.map(([scope]) => fencePort.epochOf(scope)));
    // Where one of them is as it was, this process may be the one that goes on from there.
    if (lasts.every(([, epoch], index) => (epochs[index] ?? epoch) > epoch)) await this.#deliverFound();
  }

  /**
   * Appends what a process before left, before anything else is read or decided. What belongs to shards that this
   * process does not hold goes to the late streams.
   *
   * @throws AdapterError where the database fails
   */
  async takeUp(): Promise<void> {
    if (this.#pending.length === 0) return;
    const continued = this.#fences.goOnFrom(this.#lastEpochs());
    const places = continued.map((fence) => ({ request: nothing, fence }));
    // Should this process end before all of it is appended, the next one knows that nobody came in between.
    await this.#inFile(async (file) => {
      await this.#keep(file, places);
    });
    await this.#deliverFound();
  }

  /** The last epoch of each scope that something waits of. */
  #lastEpochs(): ReadonlyMap<string, bigint> {
    return new Map(this.#pending.map(({ scope, epoch }) => [scope, epoch]));
  }

  async #deliverFound(): Promise<void> {
    const isLate = this.#pending.some((record) => this.#fences.orderOf(record) === 'Late');
    await this.#deliver();
    if (isLate) {
      this.#options.logger.warn(
        {},
        'another process had taken over: what was decided in an outage before is in the late streams',
      );
    } else {
      this.#options.logger.info({}, 'what was decided in an outage of the database before is recorded now');
    }
  }

  record(request: JournalRequest, reason: string): Promise<Result<undefined, JournalRefusal>> {
    if (this.#broken !== null) return Promise.resolve(this.#reports.refuse('JournalBroken', this.#broken));
    if (this.#reports.since === null) this.#begin(reason);
    return new Promise((resolve) => {
      this.#waiting.push({ request, resolve });
      if (this.#waiting.length === 1) void this.#inFile((file) => this.#keepWaiting(file));
    });
  }

  /** Replays no more. What waits is taken up by the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    this.#broken ??= 'the process is ending';
    await this.#fileWork;
    await this.#replaying;
    await this.#file?.close();
    this.#lock?.release();
    this.#file = null;
  }

  #begin(reason: string): void {
    this.#reports.begin(reason);
    this.#schedule();
  }

  #break(reason: string): void {
    this.#broken = reason;
    this.#reports.noteBroken(reason);
  }

  /** One change of the file at a time. */
  #inFile(work: (file: JournalFile) => Promise<void>): Promise<void> {
    const file = this.#file;
    if (file === null) return Promise.resolve();
    const done = this.#fileWork.then(() => work(file));
    this.#fileWork = done.catch(() => undefined);
    return done;
  }

  /** Requests that wait meanwhile share one write. */
  async #keepWaiting(file: JournalFile): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    this.#isWriting = true;
    try {
      const held = this.#underFences(group);
      const count = await this.#keep(file, held);
      if (count === group.length) this.#reports.noteKept();
      for (const { resolve } of held.slice(0, count)) resolve(ok(undefined));
      const full = `the journal is full (${file.bytes} bytes)`;
      for (const { resolve } of held.slice(count)) resolve(this.#reports.refuse('JournalFull', full));
    } catch (error) {
      const message = `the journal could not be written: ${fileFault(error)}`;
      for (const { resolve } of group) resolve(this.#reports.refuse('JournalBroken', message));
    } finally {
      this.#isWriting = false;
      this.#schedule();
    }
  }

  /** What is about policies that this process does not decide any more is refused. */
  #underFences(group: readonly Waiting[]): readonly (Waiting & Fenced)[] {
    return group.flatMap((waiting) => {
      const fence = this.#fences.fenceFor(waiting.request);
      if (fence !== null) return [{ ...waiting, fence }];
      waiting.resolve(this.#reports.refuse('JournalBroken', 'another process decides the policy now'));
      return [];
    });
  }

  /** @returns how many of the requests there was room for */
  async #keep(file: JournalFile, requests: readonly Fenced[]): Promise<number> {
    const records = requests.map(({ request, fence: { scope, epoch } }, index) =>
      journalRecordOf(request, { number: this.#lastNumber + index + 1, scope, epoch }),
    );
    const places = await file.append(records);
    this.#lastNumber += places.length;
    for (const [index, { request }] of requests.slice(0, places.length).entries()) {
      const [record, place] = [records[index], places[index]];
      if (record !== undefined && place !== undefined)
        this.#pending.push(pendingOf(record, place, (entries) => request.onReplayed(entries)));
    }
    return places.length;
  }

  #takeFound(records: readonly PlacedRecord[], place: number): void {
    this.#lastNumber = Math.max(place, records.at(-1)?.record.number ?? 0);
    const left = records.filter(({ record }) => record.number > place && record.epoch !== '0');
    this.#pending.push(...left.map((placed) => pendingOf(placed.record, placed)));
  }

  #schedule(): void {
    if (this.#isClosed || this.#isReplaying || this.#cancel !== null) return;
    this.#cancel = this.#options.clock.schedule(replayMilliseconds, () => {
      this.#cancel = null;
      this.#isReplaying = true;
      this.#replaying = this.#replay().finally(() => {
        this.#isReplaying = false;
        if (this.#reports.since !== null) this.#schedule();
      });
    });
  }

  async #replay(): Promise<void> {
    try {
      if (this.#pending.length === 0) await this.#requireTakesWrites();
      await this.#deliver();
      if (!this.isInUse) this.#reports.end();
    } catch (error) {
      // Of a process that was taken over, the next one takes the journal up.
      if (error instanceof AdapterError && error.code === 'Fenced') this.#isClosed = true;
      else this.#reports.noteStill(messageOf(error));
    }
  }

  /** Where nothing could be kept, nothing that is appended says whether the database takes entries again. */
  async #requireTakesWrites(): Promise<void> {
    const { fencePort, shards } = this.#options;
    const renewed = await fencePort.renew(shards.held);
    if (!renewed.ok)
      throw new AdapterError({ code: 'Fenced', message: 'another process has taken over', retryable: true });
  }

  /** @throws AdapterError where the ledger takes nothing */
  async #deliver(): Promise<void> {
    await this.#fences.during((replay) => this.#delivery?.deliver(this.#pending, replay));
    await this.#inFile(async (file) => {
      if (this.#pending.length === 0 && this.#lastNumber > 0) await file.restart(this.#lastNumber);
    });
  }

  async #readAll(portion: readonly PendingRecord[]): Promise<readonly JournalRecord[]> {
    const records: JournalRecord[] = [];
    await this.#inFile(async (file) => {
      for (const place of portion) records.push(await file.read(place));
    });
    return records;
  }
}

/** Records after those that the ledger has and before the first that is there; what begins anew says up to where it has them. */
function missingBefore({ records: [first] }: ParsedJournal, place: number): readonly number[] {
  if (first === undefined || first.record.epoch === '0') return [];
  const count = Math.max(0, first.record.number - place - 1);
  return Array.from({ length: count }, (_, index) => place + 1 + index);
}

/** Keeps the place of a take-over in the journal, without entries. */
const nothing: JournalRequest = { drafts: [], states: [], onReplayed: () => undefined };

/** A request, and the fence under which it was decided. */
interface Fenced {
  readonly request: JournalRequest;
  readonly fence: Fence;
}

function pendingOf(
  record: JournalRecord,
  { offset, length }: RecordPlace,
  onReplayed: PendingRecord['onReplayed'] = null,
): PendingRecord {
  const { number, epoch, drafts, states } = record;
  const size = drafts.length + states.length;
  return { number, scope: scopeOfRecord(record), epoch: BigInt(epoch), size, offset, length, onReplayed };
}
