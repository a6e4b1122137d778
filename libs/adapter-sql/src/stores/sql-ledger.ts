import { err, ok, type Result, runInTimeSlices } from '#kernel';
import {
  type AppendBatch,
  type AppendRefusal,
  type DecisionQuery,
  type DecisionSummary,
  emptyHead,
  type EntryAddress,
  type EntryKind,
  type EntryOf,
  type EntryPage,
  type EntryQuery,
  type EntryReading,
  type FollowingEntries,
  type LedgerEntry,
  type LedgerPort,
  maximumBatchEntries,
  maximumPageLimit,
  maximumPagesPerRead,
  type NamedPage,
  type PolicyKey,
  type PolicyState,
  type RecordedConditions,
  type StandingIntervention,
  type StreamHead,
} from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import { loopClock } from '../connection/loop-clock.ts';
import type { SqlDatabase, SqlQuery, SqlRow, SqlStatement } from '../connection/sql-database.ts';
import { readSummaries, readSummariesOf } from '../entries/decision-summaries.ts';
import type { NumberedPage } from '../entries/entry-pages.ts';
import { entriesOf } from '../entries/entry-rows.ts';
import { maximumStreams, needsNoStream, newestPlace, type PageSource } from '../entries/entry-statement.ts';
import { KeptEntries } from '../entries/kept-entries.ts';
import { namespaceIds } from '../entries/namespace-ids.ts';
import { readBases } from '../entries/packing-bases.ts';
import {
  entriesAtPlaces,
  type EntryOrder,
  ofStream,
  placesAfter,
  placesAt,
  selectPlaces,
  unobservedEntriesOf,
} from '../entries/placed-entries.ts';
import {
  readConditions,
  readLatestDecisions,
  readStates,
  recordedStreams,
} from '../entries/policy-records.ts';
import { readUnobserved } from '../entries/unobserved-entries.ts';
import { wholePages } from '../entries/whole-pages.ts';
import { KeptBases } from '../packing/kept-bases.ts';
import { PayloadPacker } from '../packing/payload-packer.ts';
import { bigintOf, headOf, interventionOf, policyOf } from '../statements/rows.ts';
import { UnansweredBatches } from '../statements/unanswered-batches.ts';
import { requirePages, within } from '../statements/within.ts';
import { appendStatementsInSteps } from './append-statements.ts';

const refusals: readonly AppendRefusal[] = [
  { code: 'Fenced' },
  { code: 'HeadMoved' },
  { code: 'IntentPending' },
  { code: 'IntentNotPending' },
  { code: 'InterventionEnded' },
  { code: 'AlreadyReplayed' },
];

/** Below SQLite's limit of 32,766 parameters; a short list keeps the query plan simple. */
const headsPerQuery = 1_000;

/** What one caller asks for side by side. */
const maximumReadAgain = 16;

/** A batch as it is sent. */
interface WrittenBatch {
  readonly statements: readonly SqlStatement[];
  readonly onStored: () => void;
}

/**
 * Where a batch keeps what was prepared of it. No `WeakMap`: what a long-lived one holds by a young key, here all rows of the
 * batch, outlives V8's young generation, until the next full collection.
 */
const prepared = Symbol('prepared');

type PreparedBatch = AppendBatch & { [prepared]?: Promise<WrittenBatch> };

/** The ledger in a SQL database. */
export class SqlLedger implements LedgerPort {
  readonly #database: SqlDatabase;
  readonly #packer: PayloadPacker;
  readonly #bases = new KeptBases();
  readonly #unanswered = new UnansweredBatches();
  readonly #unobserved: KeptEntries<LedgerEntry>;
  readonly #summaries: KeptEntries<DecisionSummary>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#unobserved = new KeptEntries(database, { read: readUnobserved(database, this.#bases) });
    this.#summaries = new KeptEntries(database, { read: readSummaries(database, this.#unobserved) });
    this.#packer = new PayloadPacker((streams, times) => readBases(this.#database, streams, times));
  }

  prepare(batch: PreparedBatch): void {
    const written = this.#write(batch);
    batch[prepared] = written;
    written.then(
      ({ statements }) => this.#database.prepare?.(statements),
      // Its failure is that of the append.
      () => undefined,
    );
  }

  async append(batch: PreparedBatch): Promise<Result<undefined, AppendRefusal>> {
    const { statements, onStored } = await (batch[prepared] ?? this.#write(batch));
    const stored = await this.#database.transaction(statements).catch((error: unknown) => {
      this.#unanswered.note(batch, error);
      throw error;
    });
    if (stored.ok) {
      onStored();
      return ok(undefined);
    }
    const refusal = refusals.find(({ code }) => code === stored.error.code);
    if (refusal === undefined) throw databaseError('QueryFailed', `unknown refusal ${stored.error.code}`);
    // Sent again, it meets its own heads, intents or place in the journal before it is refused for the fences.
    return (await this.#unanswered.isStored(batch, this.#database, this)) ? ok(undefined) : err(refusal);
  }

  async #write(batch: AppendBatch): Promise<WrittenBatch> {
    const begun = new Set(batch.before.filter(({ seq }) => seq > 0n).map(({ stream }) => stream));
    const { packed, stored } = await this.#packer.pack(batch.entries, begun);
    const statements = await runInTimeSlices(
      appendStatementsInSteps(this.#database.dialect, batch, packed),
      loopClock,
      'ledger: writing',
    );
    return { statements, onStored: stored };
  }

  async heads(streams: readonly string[]): Promise<readonly StreamHead[]> {
    within('streams', streams.length, maximumBatchEntries);
    this.#packer.forget(streams);
    const found = new Map<string, StreamHead>();
    for (let start = 0; start < streams.length; start += headsPerQuery) {
      const part = streams.slice(start, start + headsPerQuery);
      const marks = part.map(() => '?').join(', ');
      const sql = `SELECT stream, seq, hash FROM stream_head WHERE stream IN (${marks})`;
      const rows = await this.#database.query({ sql, parameters: part });
      for (const head of rows.map(headOf)) found.set(head.stream, head);
    }
    return streams.map((stream) => found.get(stream) ?? emptyHead(stream));
  }

  async listHeads(page: NamedPage): Promise<readonly StreamHead[]> {
    const rows = await this.#byName('SELECT stream, seq, hash FROM stream_head', page);
    return rows.map(headOf);
  }

  async entry(address: EntryAddress, reading?: EntryReading): Promise<LedgerEntry | null> {
    const [entry] = await this.entriesAt([address], reading);
    return entry ?? null;
  }

  async entriesAt(
    addresses: readonly EntryAddress[],
    { isWithoutObservations = false }: EntryReading = {},
  ): Promise<readonly LedgerEntry[]> {
    within('addresses', addresses.length, maximumPagesPerRead);
    if (addresses.length === 0) return [];
    const { dialect } = this.#database;
    // Of a few, looking for their places takes longer than reading them again.
    if (isWithoutObservations && addresses.length <= maximumReadAgain && dialect === 'sqlite') {
      return entriesOf(await this.#database.query(unobservedEntriesOf(addresses)), {
        bases: this.#bases,
        isWithoutObservations,
      });
    }
    const places = placesAt(addresses);
    if (!isWithoutObservations) return this.#entriesAtPlaces(places, 'ByStream');
    return [...(await this.#unobserved.at(await this.#database.query(places))).values()];
  }

  async newestEntry<K extends EntryKind>({
    stream,
    kind,
  }: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null> {
    const [entry] = await this.#entriesAtPlaces(newestPlace(stream, kind), 'BySeq');
    // It has the kind that was asked for.
    return entry === undefined ? null : (entry as EntryOf<K>);
  }

  async entries(query: EntryQuery): Promise<EntryPage> {
    within('limit', query.limit, maximumPageLimit);
    const [page] = await this.#pages([query]);
    return page ?? { items: [], hasMore: false };
  }

  async entryPages(queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
    requirePages(queries);
    return this.#pages(queries);
  }

  async decisionSummaries(queries: readonly DecisionQuery[]): Promise<readonly EntryPage<DecisionSummary>[]> {
    requirePages(queries);
    const decisions = queries.map((query) => ({ ...query, kinds: ['Decision'] as const }));
    return this.#summaries.pages(queries, await this.#numbered(decisions));
  }

  async decisionSummariesAt(addresses: readonly EntryAddress[]): Promise<readonly DecisionSummary[]> {
    within('addresses', addresses.length, maximumPagesPerRead);
    if (addresses.length === 0) return [];
    return readSummariesOf(this.#database, addresses, (older) =>
      this.entriesAt(older, { isWithoutObservations: true }),
    );
  }

  /** Without those that nothing can be found for. */
  async #numbered(queries: readonly EntryQuery[]): Promise<readonly NumberedPage[]> {
    const found = await Promise.all(
      queries.map(async (query, page) => ({ page, query, source: await this.#pageSource(query) })),
    );
    return found.flatMap(({ source, ...page }) => (source === null ? [] : [{ ...page, source }]));
  }

  async #pages(queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
    const pages = await this.#numbered(queries);
    return queries.every(({ isWithoutObservations }) => isWithoutObservations === true)
      ? this.#unobserved.pages(queries, pages)
      : wholePages(this.#database, queries, { pages, bases: this.#bases });
  }

  /** Null: nothing can be found. */
  async #pageSource(query: EntryQuery): Promise<PageSource | null> {
    const namespaces = query.namespaces && (await namespaceIds(this.#database, query.namespaces));
    const hasKinds = query.action === undefined ? query.kinds.length > 0 : query.kinds.includes('Decision');
    if (!hasKinds || namespaces?.length === 0) return null;
    const { dialect } = this.#database;
    const streams =
      namespaces && (await this.#streamIds(namespaces, maximumStreams(query, namespaces.length, dialect)));
    if (streams?.length === 0 && !needsNoStream(query, dialect)) return null;
    return { dialect, namespaces, streams };
  }

  /** The numbers of the streams in namespaces; undefined: more than the limit. */
  async #streamIds(namespaces: readonly bigint[], limit: number): Promise<readonly bigint[] | undefined> {
    if (limit === 0) return undefined;
    const rows = await this.#database.query({
      sql: `SELECT id FROM stream_head WHERE namespace_id IN (${namespaces.map(() => '?').join(', ')}) LIMIT ${limit + 1}`,
      parameters: namespaces,
    });
    return rows.length > limit ? undefined : rows.map((row) => bigintOf(row, 'id'));
  }

  async streamEntries(page: {
    readonly stream: string;
    readonly after: bigint;
    readonly limit: number;
  }): Promise<readonly LedgerEntry[]> {
    within('limit', page.limit, maximumPageLimit);
    return this.#entriesAtPlaces(
      {
        sql: `${selectPlaces} WHERE ${ofStream} AND entry.seq > ? AND entry.payload_hash IS NULL
          ORDER BY entry.seq LIMIT ${page.limit}`,
        parameters: [page.stream, page.after],
      },
      'BySeq',
    );
  }

  async entriesAfter(query: FollowingEntries): Promise<readonly LedgerEntry[]> {
    within('addresses', query.addresses.length, maximumPagesPerRead);
    within('within', query.within, maximumPageLimit);
    if (query.addresses.length === 0) return [];
    return this.#entriesAtPlaces(placesAfter(query), 'ByStream');
  }

  async pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]> {
    within('limit', page.limit, maximumPageLimit);
    return this.#entriesAtPlaces(
      {
        sql: `${selectPlaces} JOIN stream_head ON stream_head.id = entry.stream_id JOIN (
            SELECT stream, seq FROM pending_intent WHERE stream > ? ORDER BY stream LIMIT ${page.limit}
          ) AS pending ON pending.stream = stream_head.stream AND entry.seq = pending.seq`,
        parameters: [page.after ?? ''],
      },
      'ByStream',
    );
  }

  async #entriesAtPlaces(places: SqlQuery, order: EntryOrder): Promise<readonly LedgerEntry[]> {
    return entriesOf(await entriesAtPlaces(this.#database, places, order), { bases: this.#bases });
  }

  async recordedPolicies({ after = '', limit }: NamedPage): Promise<readonly PolicyKey[]> {
    within('limit', limit, maximumPageLimit);
    const rows = await this.#database.query(recordedStreams(after, limit));
    return rows.map(policyOf);
  }

  policyStates(policies: readonly PolicyKey[]): Promise<readonly PolicyState[]> {
    return readStates(this.#database, policies);
  }

  latestDecisions(policies: readonly PolicyKey[]): Promise<readonly (string | null)[]> {
    return readLatestDecisions(this.#database, policies);
  }

  policyConditions(policies: readonly PolicyKey[]): Promise<readonly RecordedConditions[]> {
    return readConditions(this.#database, policies);
  }

  async interventions({ after = '', limit }: NamedPage): Promise<readonly StandingIntervention[]> {
    within('limit', limit, maximumPageLimit);
    const rows = await this.#database.query({
      sql: `SELECT id, record FROM intervention WHERE id > ? ORDER BY id LIMIT ${limit}`,
      parameters: [after],
    });
    return rows.map(interventionOf);
  }

  async journalPlace(id: string): Promise<number> {
    const [row] = await this.#database.query({
      sql: 'SELECT last_record FROM replayed_journal WHERE journal = ?',
      parameters: [id],
    });
    return row === undefined ? 0 : Number(bigintOf(row, 'last_record'));
  }

  #byName(select: string, { after = '', limit }: NamedPage): Promise<readonly SqlRow[]> {
    within('limit', limit, maximumPageLimit);
    const query: SqlQuery = {
      sql: `${select} WHERE stream > ? ORDER BY stream LIMIT ${limit}`,
      parameters: [after],
    };
    return this.#database.query(query);
  }
}
