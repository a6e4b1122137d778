import type { ChainedEntry } from '#ledger';
import type { SqlDialect, SqlValue } from '../connection/sql-database.ts';
import type { PackedEntry } from '../packing/payload-packer.ts';

type Row = readonly SqlValue[];

/** Writes entries: one row each, which ends with the entry's stream. `packed` are those whose payload is not stored as text. */
export function insertedEntries(
  dialect: SqlDialect,
  entries: readonly ChainedEntry[],
  packed: ReadonlyMap<ChainedEntry, PackedEntry>,
): { readonly sql: string; readonly rows: readonly Row[] } {
  const columns = columnsOf(entries, packed);
  const isPlain = columns === textColumns;
  const rows = inOrderOfIndexes(entries).map((entry) => [
    ...(isPlain ? entryRow(entry) : contentRow(entry, packed.get(entry))),
    ...columns.named.map(({ nameIn }) => nameIn(entry)),
    entry.stream,
  ]);
  return { sql: insertEntry[dialect](columns), rows };
}

/**
 * Runs come by the thousand, each of another stream: those of streams without anything else come last, in the order of
 * their streams, which is that of the indexes. So each page of an index is changed once per batch. What else there is
 * keeps its order, and so do the entries of a stream.
 */
function inOrderOfIndexes(entries: readonly ChainedEntry[]): readonly ChainedEntry[] {
  const others = new Set(entries.flatMap(({ kind, stream }) => (kind === 'DecisionRun' ? [] : [stream])));
  const [runs, rest] = [
    entries.filter(({ stream }) => !others.has(stream)),
    entries.filter(({ stream }) => others.has(stream)),
  ];
  return [...rest, ...runs.sort(byStream)];
}

function byStream(one: ChainedEntry, other: ChainedEntry): number {
  if (one.stream === other.stream) return 0;
  return one.stream < other.stream ? -1 : 1;
}

/**
 * Most batches have nothing packed and name nothing, and few have an operator's action; more columns in each row would
 * cost a tenth of the writer's time.
 */
function columnsOf(
  entries: readonly ChainedEntry[],
  packed: ReadonlyMap<ChainedEntry, PackedEntry>,
): EntryColumns {
  if (entries.some(({ namespace, scope }) => namespace !== null || scope !== null)) return allWithSubject;
  const isPlain =
    packed.size === 0 && entries.every(({ actor, commit }) => actor === null && commit === null);
  return isPlain ? textColumns : allColumns;
}

function contentRow(entry: ChainedEntry, packed: PackedEntry | undefined): Row {
  if (packed === undefined) return [...entryRow(entry), null, null, null, null];
  const { payload, baseSeq } = packed;
  const row = entryRow({ ...entry, payloadText: '' });
  return [...row, payload.dictionary, baseSeq, payload.packed, payload.observation];
}

function entryRow(entry: ChainedEntry): Row {
  return [
    BigInt(entry.format),
    entry.seq,
    entry.cluster,
    entry.kind,
    entry.time,
    entry.timeNanoseconds,
    entry.action,
    entry.payloadText,
    entry.previousHash,
    entry.hash,
  ];
}

/** Columns of an entry, with their types in PostgreSQL. */
interface EntryColumns {
  readonly names: readonly string[];
  readonly types: readonly string[];
  /** What each row names beside, each a value more. */
  readonly named: readonly NamedColumn[];
}

/** A column of numbers of names, and how its rows call what it names. */
interface NamedColumn {
  readonly column: string;
  readonly kind: string;
  readonly given: string;
  readonly nameIn: (entry: ChainedEntry) => string | null;
}

const nameColumns: readonly NamedColumn[] = [
  { column: 'actor_id', kind: 'Actor', given: 'actor', nameIn: ({ actor }) => actor },
  { column: 'commit_id', kind: 'Commit', given: 'commit_name', nameIn: ({ commit }) => commit },
  { column: 'summary_id', kind: 'Summary', given: 'summary', nameIn: ({ summary }) => summary },
];
/** Of an entry whose stream has no namespace. */
const namespaceColumn: NamedColumn = {
  column: 'namespace_id',
  kind: 'Namespace',
  given: 'namespace_name',
  nameIn: ({ namespace }) => namespace,
};
/** Of an operator's action: the policy that it concerns, or the name of a scope of more. */
const scopeColumn: NamedColumn = {
  column: 'policy_id',
  kind: 'Policy',
  given: 'policy_name',
  nameIn: ({ scope }) => scope,
};

const textColumns: EntryColumns = {
  names: 'format, seq, cluster, kind, time, time_nanoseconds, action, payload, previous_hash, hash'.split(
    ', ',
  ),
  types: 'bigint bigint text text text bigint text text text text'.split(' '),
  named: [],
};
const allColumns: EntryColumns = {
  names: [...textColumns.names, 'dictionary', 'base_seq', 'packed', 'observation'],
  types: [...textColumns.types, 'bigint', 'bigint', 'bytea', 'bytea'],
  named: nameColumns,
};
const allWithSubject: EntryColumns = {
  ...allColumns,
  named: [...nameColumns, namespaceColumn, scopeColumn],
};
const sqliteName = ({ kind }: NamedColumn): string =>
  `(SELECT id FROM entry_name WHERE kind = '${kind}' AND name = ?)`;
const postgresName = ({ kind, given }: NamedColumn): string =>
  `LEFT JOIN entry_name AS ${given}_of ON ${given}_of.kind = '${kind}' AND ${given}_of.name = added.${given}`;

/** The columns that rows fill in by names; the namespace of a row's stream where it names none. */
function idColumns(named: readonly NamedColumn[]): string {
  const columns = named.map(({ column }) => column);
  return [...columns, ...(named.includes(namespaceColumn) ? [] : ['namespace_id'])].join(', ');
}

function idValues(named: readonly NamedColumn[], idOf: (name: NamedColumn) => string): string {
  const values = named.map((name) =>
    name === namespaceColumn ? `COALESCE(${idOf(name)}, namespace_id)` : idOf(name),
  );
  return [...values, ...(named.includes(namespaceColumn) ? [] : ['namespace_id'])].join(', ');
}

const insertEntry: Readonly<Record<SqlDialect, (columns: EntryColumns) => string>> = {
  sqlite: ({ names, named }) =>
    `INSERT INTO ledger_entry (${names.join(', ')}, ${idColumns(named)}, stream_id)
        SELECT ${names.map(() => '?').join(', ')}, ${idValues(named, sqliteName)}, id
        FROM stream_head WHERE stream = ?`,
  // Identity values follow the order of insertion, so the order of unnest is kept.
  postgres: ({ names, types, named }) =>
    `INSERT INTO ledger_entry (stream_id, ${idColumns(named)}, ${names.join(', ')})
        SELECT stream_head.id, ${idValues(named, ({ given }) => `${given}_of.id`)},
          ${names.map((name) => `added.${name}`).join(', ')}
        FROM unnest(${[...types, ...named.map(() => 'text'), 'text'].map((type) => `?::${type}[]`).join(', ')})
          WITH ORDINALITY AS added (${[...names, ...named.map(({ given }) => given), 'stream', 'place'].join(', ')})
        JOIN stream_head ON stream_head.stream = added.stream ${named.map(postgresName).join(' ')} ORDER BY place`,
};
