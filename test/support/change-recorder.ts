import {
  lockForProcess,
  openLedgerDatabase,
  SqlCheckpoints,
  type SqlDatabase,
  SqlShardLayout,
} from '#adapter-sql';
import { AdapterError } from '#kernel';
import {
  HeldFences,
  type LedgerPort,
  LedgerWriter,
  type LostEntries,
  outcomeUnknown,
  type PolicyState,
  policyStream,
  sha256Hex,
  verifyStream,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { Shards } from '../../apps/controller/src/coordination/shards/shards.ts';
import { OutageJournal } from '../../apps/controller/src/ledger/outage-journal.ts';
import { anEventDraft, aState, checkout, timeAfter } from './ledger-builders.ts';

/** What became of a change. `Refused`: neither the database nor the journal has it, and it is recorded again. */
export type Recorded = 'Stored' | 'Journaled' | 'Refused';

export interface ChangeRecorderOptions {
  readonly url: string;
  readonly journal: string;
  readonly timeoutMilliseconds?: number;
  /** What the ledger's port is wrapped in. */
  readonly wrap?: (port: LedgerPort) => LedgerPort;
  readonly padding?: string;
  readonly onLost?: (lost: LostEntries) => void;
}

/**
 * A process as far as its records are concerned: it numbers changes of one policy's replicas, and records each in the
 * database or, in an outage, in the journal, as passes do.
 */
export class ChangeRecorder {
  readonly journal: OutageJournal;
  readonly clock: FakeClock;
  readonly sql: SqlDatabase;
  readonly #ledger: LedgerPort;
  readonly #writer: LedgerWriter;
  readonly #padding: string;
  readonly #close: () => Promise<void>;
  isEnding = false;

  private constructor(given: {
    readonly journal: OutageJournal;
    readonly clock: FakeClock;
    readonly sql: SqlDatabase;
    readonly ledger: LedgerPort;
    readonly writer: LedgerWriter;
    readonly padding: string;
    readonly close: () => Promise<void>;
  }) {
    this.journal = given.journal;
    this.clock = given.clock;
    this.sql = given.sql;
    this.#ledger = given.ledger;
    this.#writer = given.writer;
    this.#padding = given.padding;
    this.#close = given.close;
  }

  static async open(options: ChangeRecorderOptions): Promise<ChangeRecorder> {
    const { url, timeoutMilliseconds = 30_000, wrap = same, padding = '' } = options;
    const database = await openLedgerDatabase({ url, timeoutMilliseconds });
    const ledger = wrap(database.ledger);
    let held = new HeldFences([]);
    const holdings = {
      of: (scope: string) => held.of(scope),
      holds: (scope: string) => held.has(scope),
      mayWrite: () => true,
    };
    const shards = new Shards(holdings, new SqlShardLayout(database.sql));
    let recorder: ChangeRecorder | null = null;
    const writer = new LedgerWriter({
      port: ledger,
      cluster: 'test',
      fence: shards.fencesFor,
      beforeRetry: () => Promise.resolve(recorder?.isEnding !== true),
      onLost: options.onLost ?? (() => undefined),
    });
    const clock = new FakeClock();
    const journal = new OutageJournal({
      path: options.journal,
      lock: lockForProcess,
      ledger,
      ledgerId: () => new SqlCheckpoints(database.sql).ledgerId(),
      writer,
      shards,
      holdings,
      fencePort: database.fences,
      holder: 'late',
      clock,
      logger: { info: () => undefined, warn: () => undefined },
    });
    await journal.open();
    const scope = shards.scopeOf(checkout);
    held = new HeldFences([await takeFence(database.fences, { scope, holder: `holder of ${process.pid}` })]);
    await journal.takeUp();
    const close = async (): Promise<void> => {
      await journal.close();
      await database.close();
    };
    recorder = new ChangeRecorder({ journal, clock, sql: database.sql, ledger, writer, padding, close });
    return recorder;
  }

  /** Records the change of this number, with the state that goes with it. */
  async record(number: number): Promise<Recorded> {
    const request = this.#requestOf(number);
    const failure = this.journal.isInUse ? 'the journal is in use' : await this.#append(request);
    if (failure === null) return 'Stored';
    const kept = await this.journal.record({ ...request, onReplayed: () => undefined }, failure);
    return kept.ok ? 'Journaled' : 'Refused';
  }

  /** Of the last change that the ledger has. */
  async lastNumber(): Promise<number> {
    const [state] = await this.#ledger.policyStates([checkout]);
    return state?.account?.replicas ?? 0;
  }

  /** Lets the journal try to replay, once. */
  async replay(): Promise<void> {
    this.clock.advance(1_000);
    await this.journal.whenIdle;
  }

  async close(): Promise<void> {
    this.isEnding = true;
    await this.#close();
  }

  #requestOf(number: number): {
    readonly drafts: readonly [ReturnType<typeof anEventDraft>];
    readonly states: readonly [PolicyState];
  } {
    const change = { origin: 'External', from: number - 1, to: number, reason: this.#padding } as const;
    const account = { uid: null, replicas: number, resourceVersion: null };
    return { drafts: [anEventDraft(change, timeAfter(number))], states: [aState(checkout, { account })] };
  }

  async #append(request: Parameters<LedgerWriter['append']>[0]): Promise<string | null> {
    try {
      const appended = await this.#writer.append(request);
      if (!appended.ok) throw new Error(appended.error.code);
      return null;
    } catch (error) {
      if (error instanceof AdapterError && error.code !== outcomeUnknown) return error.message;
      throw error;
    }
  }
}

function same(port: LedgerPort): LedgerPort {
  return port;
}

/** The numbers of the changes that a ledger has, in its order; its chain verifies, and its state is of the last. */
export async function recordedChanges(ledger: LedgerPort): Promise<readonly number[]> {
  const stream = policyStream(checkout);
  const [head] = await ledger.heads([stream]);
  if (head === undefined) throw new Error('no head');
  const entries = [];
  for (let after = 0n; after < head.seq; after += 1_000n)
    entries.push(...(await ledger.streamEntries({ stream, after, limit: 1_000 })));
  const verified = verifyStream(entries, head, sha256Hex);
  if (!verified.ok && head.seq > 0n)
    throw new Error(`the chain does not verify: ${JSON.stringify(verified)}`);
  const numbers = entries.map((entry) => (entry.kind === 'ScalingEvent' ? entry.payload.to : 0));
  const [state] = await ledger.policyStates([checkout]);
  if ((state?.account?.replicas ?? 0) !== (numbers.at(-1) ?? 0))
    throw new Error('the state is of another change');
  return numbers;
}
