import { err, ok, type Result, withoutUndefined } from '#kernel';
import {
  type AppendBatch,
  type AppendRefusal,
  emptyHead,
  type EntryAddress,
  type EntryKind,
  type EntryOf,
  type EntryPage,
  type EntryQuery,
  isNamespacePattern,
  type LedgerEntry,
  type LedgerPort,
  matchesNamespace,
  maximumBatchEntries,
  maximumEntriesPerRead,
  maximumPageLimit,
  maximumPagesPerRead,
  type NamedPage,
  type PolicyState,
  type RecordedConditions,
  type StandingIntervention,
  type StreamHead,
} from '#ledger';
import { databaseError } from '../database-error.ts';
import { BaseDictionaries } from '../packing/base-dictionaries.ts';
import { type PackingBase, PayloadPacker } from '../packing/payload-packer.ts';
import type { SqlDatabase, SqlQuery, SqlRow } from '../sql-database.ts';
import { appendStatements } from './append-statements.ts';
import { entriesAtStatement, entryPagesStatement } from './entry-pages-statement.ts';
import { baseOf, cursorOf, entriesOf } from './entry-rows.ts';
import { entryStatement, maximumStreams, selectBases, selectEntry, selectNewest } from './entry-statement.ts';
import { bigintOf, conditionsOf, headOf, interventionOf, stateOf, textOf } from './rows.ts';

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
const namesPerQuery = 1_000;

/** The ledger in a SQL database. */
export class SqlLedger implements LedgerPort {
  readonly #database: SqlDatabase;
  readonly #packer: PayloadPacker;
  readonly #bases = new BaseDictionaries();

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#packer = new PayloadPacker((streams) => this.#readBases(streams));
  }

  async append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    const begun = new Set(batch.before.filter(({ seq }) => seq > 0n).map(({ stream }) => stream));
    const packing = await this.#packer.pack(batch.entries, begun);
    const stored = await this.#database.transaction(
      appendStatements(this.#database.dialect, batch, packing.packed),
    );
    if (stored.ok) {
      packing.stored();
      return ok(undefined);
    }
    const refusal = refusals.find(({ code }) => code === stored.error.code);
    if (refusal === undefined) throw databaseError('QueryFailed', `unknown refusal ${stored.error.code}`);
    if (refusal.code === 'Fenced' && (await this.#isStored(batch))) return ok(undefined);
    return err(refusal);
  }

  /** Whether the batch is the one that its fences stored last: then an answer was lost. */
  async #isStored({ id, fences: [fence] }: AppendBatch): Promise<boolean> {
    if (fence === undefined) return false;
    const rows = await this.#database.query({
      sql: 'SELECT scope FROM ledger_epoch WHERE scope = ? AND epoch = ? AND holder = ? AND last_append = ?',
      parameters: [fence.scope, fence.epoch, fence.holder, id],
    });
    return rows.length > 0;
  }

  async heads(streams: readonly string[]): Promise<readonly StreamHead[]> {
    within('streams', streams.length, maximumBatchEntries);
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

  async entry({ stream, seq }: EntryAddress): Promise<LedgerEntry | null> {
    const rows = await this.#database.query({
      sql: `${selectEntry} WHERE stream = ? AND entry.seq = ?`,
      parameters: [stream, seq],
    });
    const [entry] = await entriesOf(rows, { bases: this.#bases });
    return entry ?? null;
  }

  async entriesAt(addresses: readonly EntryAddress[]): Promise<readonly LedgerEntry[]> {
    within('addresses', addresses.length, maximumPagesPerRead);
    return entriesOf(await this.#database.query(entriesAtStatement(addresses)), { bases: this.#bases });
  }

  async newestEntry<K extends EntryKind>({
    stream,
    kind,
  }: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null> {
    const [entry] = await entriesOf(
      await this.#database.query({ sql: selectNewest, parameters: [stream, kind] }),
    );
    // It has the kind that was asked for.
    return entry === undefined ? null : (entry as EntryOf<K>);
  }

  async entries(query: EntryQuery): Promise<EntryPage> {
    within('limit', query.limit, maximumPageLimit);
    const statement = await this.#pageStatement(query);
    return this.#pageOf(statement === null ? [] : await this.#database.query(statement), query);
  }

  async entryPages(queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
    const entries = queries.reduce((sum, { limit }) => sum + limit, 0);
    within('queries', queries.length, maximumPagesPerRead);
    within('limits', entries, maximumEntriesPerRead);
    const statements = await Promise.all(queries.map((query) => this.#pageStatement(query)));
    const pages = statements.flatMap((statement, page) => (statement === null ? [] : [{ statement, page }]));
    const order = queries[0]?.order ?? 'NewestFirst';
    const rows = pages.length === 0 ? [] : await this.#database.query(entryPagesStatement(pages, order));
    const ofPage = Map.groupBy(rows, (row) => Number(bigintOf(row, 'page')));
    return Promise.all(queries.map((query, page) => this.#pageOf(ofPage.get(page) ?? [], query)));
  }

  /** One row more than the limit shows that there is another page. */
  async #pageOf(rows: readonly SqlRow[], { limit, isWithoutObservations }: EntryQuery): Promise<EntryPage> {
    const listed = rows.slice(0, limit);
    const reading = withoutUndefined({ bases: this.#bases, isWithoutObservations });
    const entries = await entriesOf(listed, reading);
    const items = entries.map((entry, index) => ({ entry, cursor: cursorOf(listed[index] ?? {}) }));
    return { items, hasMore: rows.length > limit };
  }

  /** Null: nothing can be found. */
  async #pageStatement(query: EntryQuery): Promise<SqlQuery | null> {
    const namespaces = query.namespaces && (await this.#namespaceIds(query.namespaces));
    const hasKinds = query.action === undefined ? query.kinds.length > 0 : query.kinds.includes('Decision');
    if (!hasKinds || namespaces?.length === 0) return null;
    const streams =
      namespaces && (await this.#streamIds(namespaces, maximumStreams(query, namespaces.length)));
    if (streams?.length === 0) return null;
    return entryStatement(query, { dialect: this.#database.dialect, namespaces, streams });
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

  /** The numbers of the namespaces that are named, or that a pattern stands for. */
  async #namespaceIds(names: readonly string[]): Promise<readonly bigint[]> {
    const exact = names.filter((name) => !isNamespacePattern(name));
    const patterns = names.filter(isNamespacePattern);
    const ids = new Set<bigint>();
    for (let start = 0; start < exact.length; start += namesPerQuery) {
      const part = exact.slice(start, start + namesPerQuery);
      const rows = await this.#database.query({
        sql: `SELECT id FROM entry_name WHERE kind = 'Namespace' AND name IN (${part.map(() => '?').join(', ')})`,
        parameters: part,
      });
      for (const row of rows) ids.add(bigintOf(row, 'id'));
    }
    if (patterns.length > 0) {
      for await (const { id, name } of this.#namespaces())
        if (patterns.some((pattern) => matchesNamespace(pattern, name))) ids.add(id);
    }
    return [...ids];
  }

  async *#namespaces(): AsyncGenerator<{ readonly id: bigint; readonly name: string }> {
    for (let after = ''; ;) {
      const rows = await this.#database.query({
        sql: `SELECT id, name FROM entry_name WHERE kind = 'Namespace' AND name > ? ORDER BY name LIMIT ${namesPerQuery}`,
        parameters: [after],
      });
      for (const row of rows) yield { id: bigintOf(row, 'id'), name: textOf(row, 'name') };
      if (rows.length < namesPerQuery) return;
      after = textOf(rows.at(-1) ?? {}, 'name');
    }
  }

  async streamEntries(page: {
    readonly stream: string;
    readonly after: bigint;
    readonly limit: number;
  }): Promise<readonly LedgerEntry[]> {
    within('limit', page.limit, maximumPageLimit);
    const rows = await this.#database.query({
      sql: `${selectEntry} WHERE stream = ? AND entry.seq > ? AND entry.payload_hash IS NULL
        ORDER BY entry.seq LIMIT ${page.limit}`,
      parameters: [page.stream, page.after],
    });
    return entriesOf(rows);
  }

  async pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]> {
    within('limit', page.limit, maximumPageLimit);
    const rows = await this.#database.query({
      sql: `${selectEntry} JOIN (
          SELECT stream AS open_stream, seq AS open_seq FROM pending_intent
          WHERE stream > ? ORDER BY stream LIMIT ${page.limit}
        ) AS pending ON stream = open_stream AND entry.seq = open_seq ORDER BY stream`,
      parameters: [page.after ?? ''],
    });
    return entriesOf(rows);
  }

  async policyStates(page: NamedPage): Promise<readonly PolicyState[]> {
    const rows = await this.#byName('SELECT * FROM policy_state', page);
    return rows.map(stateOf);
  }

  async policyConditions(page: NamedPage): Promise<readonly RecordedConditions[]> {
    const rows = await this.#byName('SELECT * FROM policy_conditions', page);
    return rows.map(conditionsOf);
  }

  async interventions({ after = '', limit }: NamedPage): Promise<readonly StandingIntervention[]> {
    within('limit', limit, maximumPageLimit);
    const rows = await this.#database.query({
      sql: `SELECT record FROM intervention WHERE id > ? ORDER BY id LIMIT ${limit}`,
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

  /** Reads the base of the newest decision of each stream. */
  async #readBases(streams: readonly string[]): Promise<readonly PackingBase[]> {
    const bases: PackingBase[] = [];
    for (let start = 0; start < streams.length; start += headsPerQuery) {
      const part = streams.slice(start, start + headsPerQuery);
      const rows = await this.#database.query({
        sql: `${selectBases} (${part.map(() => '?').join(', ')})`,
        parameters: part,
      });
      bases.push(...(await Promise.all(rows.map(baseOf))));
    }
    return bases;
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

/** Limits become SQL text, so they are checked at run time, too. */
function within(name: string, value: number, maximum: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > maximum)
    throw new RangeError(`${name} is ${value}, allowed are 0 to ${maximum}`);
}
