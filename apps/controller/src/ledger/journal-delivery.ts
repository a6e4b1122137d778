import { AdapterError } from '#kernel';
import {
  type Appended,
  type ChainedEntry,
  entryId,
  type JournalRecord,
  type LedgerPort,
  type LedgerWriter,
  maximumBatchEntries,
  newestDecisionIds,
  type ReplayOrder,
  replayRequest,
  statesWithoutDecision,
} from '#ledger';
import type { RecordPlace } from './journal-file.ts';

/** What one replay stores at most: a part of a batch, and about as much memory as a few hundred decisions take. */
const maximumRecords = 500;
const maximumBytes = 8 * 1024 * 1024;

/** A record that is not in the ledger. */
export interface PendingRecord extends RecordPlace {
  readonly number: number;
  /** Entries and states. */
  readonly size: number;
  readonly scope: string;
  readonly epoch: bigint;
  /** Null: it is of a process before. */
  readonly onReplayed: ((entries: readonly ChainedEntry[]) => void) | null;
}

export interface JournalDeliveryOptions {
  readonly journal: string;
  readonly ledger: Pick<LedgerPort, 'newestEntry' | 'journalPlace'>;
  readonly read: (portion: readonly PendingRecord[]) => Promise<readonly JournalRecord[]>;
  readonly logger: { warn(fields: object, message: string): void };
}

/** How records are appended. */
export interface Replay {
  readonly orderOf: (record: PendingRecord) => ReplayOrder;
  /** What records are appended with. @throws AdapterError `Fenced` where that may not be */
  readonly writerFor: (records: readonly JournalRecord[], order: ReplayOrder) => Promise<Appender>;
}

type Appender = Pick<LedgerWriter, 'append'>;

/** Appends the records of a journal to the ledger, in portions. */
export class JournalDelivery {
  readonly #options: JournalDeliveryOptions;
  /** Ids of the latest decisions that were replayed, by stream. */
  readonly #decisions = new Map<string, string>();

  constructor(options: JournalDeliveryOptions) {
    this.#options = options;
  }

  /**
   * Appends what waits, and what comes to it meanwhile, and takes each portion out as soon as it is durable.
   *
   * @throws AdapterError where the ledger takes nothing; the rest waits
   */
  async deliver(pending: PendingRecord[], replay: Replay): Promise<void> {
    while (pending.length > 0) {
      const portion = portionOf(pending, replay);
      const appended = await this.#append(portion, replay);
      if (appended.ok) this.#take(pending, portion, appended.value);
      else if (appended.error.code === 'AlreadyReplayed') await this.#dropReplayed(pending);
      else await this.#deliverEach(pending, portion, replay);
    }
    this.#decisions.clear();
  }

  /** A record that its stream refuses, whatever it says, is not lost: it goes to the late stream. */
  async #deliverEach(
    pending: PendingRecord[],
    portion: readonly PendingRecord[],
    replay: Replay,
  ): Promise<void> {
    for (const record of portion) {
      let appended = await this.#append([record], replay);
      if (!appended.ok && !mayPass(appended.error.code)) {
        const { code } = appended.error;
        this.#options.logger.warn(
          { code, record: record.number },
          'a record of the journal contradicts the ledger; it goes to the late stream',
        );
        appended = await this.#append([record], { ...replay, orderOf: () => 'Late' });
      }
      if (!appended.ok) throw refusedWith(appended.error.code);
      this.#take(pending, [record], appended.value);
    }
  }

  /** Appends records that have one order. */
  async #append(portion: readonly PendingRecord[], { orderOf, writerFor }: Replay): Promise<Appended> {
    const [first] = portion;
    const order = first === undefined ? 'Late' : orderOf(first);
    const records = await this.#options.read(portion);
    if (order === 'InOrder') await this.#findDecisions(records);
    const { journal } = this.#options;
    const writer = await writerFor(records, order);
    return writer.append(replayRequest(records, order, { journal, decisions: this.#decisions }));
  }

  /** A state may refer to a decision that was replayed before, or by a process that ended. */
  async #findDecisions(records: readonly JournalRecord[]): Promise<void> {
    for (const stream of statesWithoutDecision(records)) {
      if (this.#decisions.has(stream)) continue;
      const newest = await this.#options.ledger.newestEntry({ stream, kind: 'Decision' });
      if (newest !== null) this.#decisions.set(stream, entryId(newest));
    }
  }

  async #dropReplayed(pending: PendingRecord[]): Promise<void> {
    const place = await this.#options.ledger.journalPlace(this.#options.journal);
    const count = pending.filter(({ number }) => number <= place).length;
    pending.splice(0, count);
  }

  #take(pending: PendingRecord[], portion: readonly PendingRecord[], entries: readonly ChainedEntry[]): void {
    for (const [stream, id] of newestDecisionIds(entries)) this.#decisions.set(stream, id);
    for (const { onReplayed } of portion) onReplayed?.(entries);
    pending.splice(0, portion.length);
  }
}

/** The first of them that have one order, as many as one request takes. */
function portionOf(pending: readonly PendingRecord[], { orderOf }: Replay): readonly PendingRecord[] {
  const [first] = pending;
  const order = first === undefined ? 'Late' : orderOf(first);
  let size = 0;
  let bytes = 0;
  const end = pending.slice(0, maximumRecords).findIndex((record) => {
    size += record.size;
    bytes += record.length;
    return size > maximumBatchEntries / 2 || bytes > maximumBytes || orderOf(record) !== order;
  });
  return pending.slice(0, end === -1 ? maximumRecords : Math.max(1, end));
}

/** Whether the same request may be taken later. */
function mayPass(code: string): boolean {
  return code === 'Fenced' || code === 'HeadMoved' || code === 'QueueFull';
}

function refusedWith(code: string): AdapterError {
  return new AdapterError({
    code,
    message: `the ledger does not take what is in the journal: ${code}`,
    retryable: true,
  });
}
