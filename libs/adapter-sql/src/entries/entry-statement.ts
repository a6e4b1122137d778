import { actions } from '#decision';
import { namespacedName } from '#kernel';
import { type EntryKind, type EntryQuery, lateStream, policyStream } from '#ledger';
import type { SqlDialect, SqlQuery, SqlValue } from '../connection/sql-database.ts';
import { runPlaces } from './run-places.ts';

/** Columns of an entry's content, of one that is packed with no base. */
export const ownContentColumns = `entry.payload, entry.payload_hash, entry.dictionary, entry.packed, entry.observation,
  entry.observation_hash, entry.base_seq`;

/** Columns of an entry's content, and of the base that it is packed with. */
export const contentColumns = `${ownContentColumns}, base.packed AS base_packed, base.observation AS base_observation`;

/** Columns of entries with the names of their streams. */
export const entryColumns = columnsWith(contentColumns);

/** For SQLite: {@link entryColumns} with no observation, but whether there is one. */
export const unobservedColumns =
  columnsWith(`entry.payload, entry.payload_hash, entry.dictionary, entry.packed,
  CASE WHEN entry.observation IS NULL THEN NULL ELSE 1 END AS observation, entry.observation_hash, entry.base_seq,
  base.packed AS base_packed, NULL AS base_observation`);

/** What lists show of a decision; `summary` is null where its payload is to be read for it. */
export const summaryColumns = 'entry.action, summary.name AS summary';

/** Joins the text of an entry's summary. */
export const joinSummary =
  "LEFT JOIN entry_name AS summary ON summary.id = entry.summary_id AND summary.kind = 'Summary'";

/** {@link summaryColumns} with what every entry carries. */
export const summaryRowColumns = columnsWith(summaryColumns);

function columnsWith(content: string): string {
  return `entry.position, entry.format, stream, entry.seq, entry.cluster, entry.kind, entry.time,
    entry.time_nanoseconds, ${content}, entry.previous_hash, entry.hash`;
}

/**
 * Selects the place of the newest entry of a kind in a stream. Places grow with the numbers in a stream, and an index
 * holds both kind and place. The sum keeps the planner from searching the whole table backwards. Runs, which most streams
 * end with, are found by their numbers.
 */
export function newestPlace(stream: string, kind: EntryKind): SqlQuery {
  const [ofKind, ...kinds] = ofKinds(kind);
  return {
    sql: `SELECT time_nanoseconds, position FROM ledger_entry
      WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND ${ofKind} AND payload_hash IS NULL
      ORDER BY ${kind === 'DecisionRun' ? 'seq' : 'position + 0'} DESC LIMIT 1`,
    parameters: [stream, ...kinds],
  };
}

/** Literals, by which databases know their indexes: on PostgreSQL decisions have some of their own, on SQLite runs. */
export const isDecision = "kind = 'Decision'";
export const isNoDecision = "kind <> 'Decision'";
const isRun = "kind = 'DecisionRun'";
export const isNoRun = "kind <> 'DecisionRun'";

function ofKinds(kind: EntryKind): readonly [term: string, ...kinds: string[]] {
  if (kind === 'DecisionRun') return [`kind || '' = ? AND ${isNoDecision}`, kind];
  return kind === 'Decision'
    ? [`${isDecision} AND ${isNoRun}`]
    : [`kind = ? AND ${isNoDecision} AND ${isNoRun}`, kind];
}

/**
 * Selects the bases that the newest decisions of streams are packed with, or are themselves. Its first parameters are when
 * they may be from and until, each twice: PostgreSQL reads the partitions of that time alone.
 */
export const selectBases = `SELECT stream, base.seq, base.time_nanoseconds, base.dictionary, base.packed, base.observation
  FROM stream_head JOIN ledger_entry AS base ON base.stream_id = stream_head.id
    AND base.time_nanoseconds BETWEEN ? AND ?
    AND base.seq = (SELECT COALESCE(newest.base_seq, newest.seq) FROM ledger_entry AS newest
      WHERE newest.stream_id = stream_head.id AND newest.${isDecision} AND newest.${isNoRun}
        AND newest.payload_hash IS NULL
        AND newest.time_nanoseconds BETWEEN ? AND ?
      ORDER BY newest.time_nanoseconds DESC LIMIT 1)
  WHERE base.packed IS NOT NULL AND base.observation_hash IS NULL AND stream IN`;

/** What a page is selected with beside its query. */
export interface PageSource {
  readonly dialect: SqlDialect;
  /** The numbers of the query's namespaces, at least one; absent: all streams. */
  readonly namespaces?: readonly bigint[] | undefined;
  /** The numbers of the streams in these namespaces; absent: they are too many, or not asked for. */
  readonly streams?: readonly bigint[] | undefined;
}

/** A page of more ranges is read from those of the kinds alone. SQLite takes 500 parts of a union. */
const maximumRanges = 400;

/**
 * What the index of namespaces leaves out: it is found by the streams of a namespace. Nine of ten entries are runs, and an
 * index of them costs a sixth of the writer's time. Why PostgreSQL leaves out decisions, too: ADR 15.
 */
const unlistedKinds: Readonly<Record<SqlDialect, readonly EntryKind[]>> = {
  sqlite: ['DecisionRun'],
  postgres: ['DecisionRun', 'Decision'],
};

/**
 * How many streams of its namespaces a query may be found by.
 *
 * @returns 0 where no stream is needed
 */
export function maximumStreams(query: EntryQuery, namespaceCount: number, dialect: SqlDialect): number {
  if (query.policy !== undefined || foundByOf(query, namespaceCount) !== 'namespace') return 0;
  const [listed, unlisted] = splitKinds(kindsOf(query), unlistedKinds[dialect]);
  if (unlisted.length === 0) return 0;
  return Math.floor((maximumRanges - namespaceCount * listed.length) / unlisted.length);
}

/** Whether entries of a query may be of a namespace that has no stream: what operators did to it. */
export function needsNoStream(query: EntryQuery, dialect: SqlDialect): boolean {
  const [listed] = splitKinds(kindsOf(query), unlistedKinds[dialect]);
  return listed.length > 0;
}

/**
 * Selects the places of a page's entries by keyset: `time_nanoseconds` and `position`. Each kind is one range of one index,
 * or one per namespace or stream, so a page costs the same at any depth; ranges are merged. One row more than the limit is
 * selected, which shows whether there is another page.
 */
export function placesStatement(query: EntryQuery, source: PageSource): Required<SqlQuery> {
  const direction = directionOf(query);
  const order = `ORDER BY time_nanoseconds ${direction}, position ${direction} LIMIT ${query.limit + 1}`;
  const parts = bySubject(query).flatMap((each) =>
    rangesOf(each, source).flatMap((ranges) => partsOf[source.dialect](each, ranges, order)),
  );
  return {
    sql: `SELECT time_nanoseconds, position FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) AS pages ${order}`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

/** A query about one subject: a stream, or what operators did to a scope. */
type SubjectQuery = Omit<EntryQuery, 'policy' | 'scopes'> & { readonly scope?: string };

/** What a policy has is in its stream, or came late, and what operators did to it is elsewhere. */
function bySubject(query: EntryQuery): readonly SubjectQuery[] {
  const { policy, scopes = [], isWithLate = false, ...others } = query;
  if (policy === undefined) return [query];
  const [ofStream, actions] = splitKinds(query.kinds, ['OperatorAction']);
  const streams = [policyStream(policy), ...(isWithLate ? [lateStream(policy)] : [])];
  const all: readonly SubjectQuery[] = [
    ...streams.map((stream) => ({ ...others, kinds: ofStream, stream })),
    ...[namespacedName(policy), ...scopes].map((scope) => ({ ...others, kinds: actions, scope })),
  ];
  return all.filter(({ kinds }) => kinds.length > 0);
}

export function directionOf({ order }: Pick<EntryQuery, 'order'>): 'ASC' | 'DESC' {
  return order === 'NewestFirst' ? 'DESC' : 'ASC';
}

/** Ranges of one index. */
interface Ranges {
  readonly foundBy: FoundBy;
  readonly kinds: readonly EntryKind[];
  /** A range per kind and number: of namespaces or streams. `null`: a range per kind. */
  readonly spread: readonly bigint[] | null;
  /** The numbers of the namespaces that the rows found must be of; none: all. */
  readonly namespaces: readonly bigint[];
}

function rangesOf(query: SubjectQuery, { dialect, namespaces = [], streams }: PageSource): readonly Ranges[] {
  const foundBy = foundByOf(query, namespaces.length);
  const kinds = kindsOf(query);
  if (foundBy !== 'namespace') return [{ foundBy, kinds, spread: null, namespaces }];
  const [listed, unlisted] = splitKinds(kinds, unlistedKinds[dialect]);
  const all: readonly Ranges[] = [
    { foundBy, kinds: listed, spread: namespaces, namespaces: [] },
    streams === undefined
      ? { foundBy: 'kind', kinds: unlisted, spread: null, namespaces }
      : { foundBy: 'stream', kinds: unlisted, spread: streams, namespaces: [] },
  ];
  return all.filter((ranges) => ranges.kinds.length > 0 && ranges.spread?.length !== 0);
}

/** The kinds that are not among some, and those that are. */
function splitKinds(
  kinds: readonly EntryKind[],
  some: readonly EntryKind[],
): readonly [readonly EntryKind[], readonly EntryKind[]] {
  return [kinds.filter((kind) => !some.includes(kind)), kinds.filter((kind) => some.includes(kind))];
}

type PartsOf = (query: SubjectQuery, ranges: Ranges, order: string) => readonly Required<SqlQuery>[];

/** Select the places of a page's entries, among them those of each range that come first. */
const partsOf: Readonly<Record<SqlDialect, PartsOf>> = {
  sqlite: (query, ranges, order) =>
    ranges.kinds.flatMap((kind) => {
      if (kind === 'DecisionRun' && ranges.foundBy === 'stream') return [runsOf(query, ranges, order)];
      return (ranges.spread ?? [null]).map((id) => {
        const { sql, parameters } = conditionOf(query, ranges, [
          ...sqliteTerms(query, ranges.foundBy, kind),
          ...(id === null ? [] : [[`${ranges.foundBy}_id = ?`, id] as const]),
        ]);
        return { sql: `SELECT * FROM (${selectPlaces} ${sql} ${order}) AS page`, parameters };
      });
    }),
  // Planning a union of many ranges would take longer than reading them.
  postgres: (query, ranges, order) =>
    listingsOf(query, ranges).map(({ names, terms }) => {
      const { spread, foundBy } = ranges;
      const wanted = names.flatMap((name) => (spread ?? [null]).map((id) => [name, id]));
      const { sql, parameters } = conditionOf(query, ranges, [
        ...terms,
        ...(spread === null ? [] : [[`${foundBy}_id = wanted.id`] as const]),
        ...partitionTerms(query),
      ]);
      const rows = wanted.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT))').join(', ');
      return {
        sql: `SELECT page.* FROM (VALUES ${rows}) AS wanted (name, id)
          CROSS JOIN LATERAL (${selectPlaces} ${sql} ${order}) AS page`,
        parameters: [...wanted.flat(), ...parameters],
      };
    }),
};

const selectPlaces = 'SELECT position, time_nanoseconds FROM ledger_entry WHERE';

type Term = readonly [term: string, ...values: SqlValue[]];

/** The indexes of actions do not contain the kind, and those of streams and namespaces not all of them. */
function sqliteTerms({ action }: SubjectQuery, foundBy: FoundBy, kind: EntryKind): readonly Term[] {
  if (action !== undefined && (foundBy === 'action' || foundBy === 'stream')) return [['action = ?', action]];
  const ofActions: readonly Term[] = action === undefined ? [] : [ofAction(action)];
  const isWithoutRuns = foundBy === 'stream' || foundBy === 'namespace';
  return [['kind = ?', kind], ...(isWithoutRuns ? [[isNoRun] as const] : []), ...ofActions];
}

/** Runs of streams have an index of their own, which begins with the week. */
function runsOf(query: SubjectQuery, ranges: Ranges, order: string): Required<SqlQuery> {
  const { spread } = ranges;
  const ofStreams: readonly Term[] =
    spread === null ? [] : [[`stream_id IN (${spread.map(() => '?').join(', ')})`, ...spread]];
  return runPlaces(query, conditionOf(query, ranges, [[isRun], ...ofStreams]), order);
}

/** Ranges of one index of PostgreSQL. */
interface Listing {
  /** A range each, by the name that `wanted` has. */
  readonly names: readonly string[];
  readonly terms: readonly Term[];
}

/** Decisions have indexes of their own, and an action a range of its own in one of them alone. */
function listingsOf({ action }: SubjectQuery, { foundBy, kinds }: Ranges): readonly Listing[] {
  const ofActions: readonly Term[] = action === undefined ? [] : [ofAction(action)];
  if (foundBy === 'actor') return [{ names: kinds, terms: [['kind = wanted.name'], ...ofActions] }];
  const [others, decisions] = splitKinds(kinds, ['Decision']);
  const isFoundByAction = foundBy === 'kind' || foundBy === 'action';
  const listings: readonly Listing[] = [
    {
      names: others,
      terms: [
        ['kind = wanted.name'],
        [isNoDecision],
        ...(foundBy === 'namespace' ? [[isNoRun] as const] : []),
      ],
    },
    isFoundByAction
      ? {
          names: decisions.flatMap(() => (action === undefined ? actions : [action])),
          terms: [['action = wanted.name']],
        }
      : { names: decisions, terms: [[isDecision], ...ofActions] },
  ];
  return listings.filter(({ names }) => names.length > 0);
}

/** A condition on what is found, for which no index is looked for. */
function ofAction(action: string): Term {
  return ["action || '' = ?", action];
}

/** What a range is found by, beside its kind. Everything else is a condition on the rows that are found. */
type FoundBy = 'actor' | 'stream' | 'policy' | 'commit' | 'namespace' | 'action' | 'kind';

/** What has the fewest entries: a stream has fewer than a commit that is in force for many policies. */
function foundByOf(query: SubjectQuery, namespaceCount: number): FoundBy {
  if (query.actor !== undefined) return 'actor';
  if (query.stream !== undefined) return 'stream';
  if (query.scope !== undefined) return 'policy';
  if (query.commit !== undefined) return 'commit';
  if (namespaceCount > 0 && namespaceCount * query.kinds.length <= maximumRanges) return 'namespace';
  return query.action === undefined ? 'kind' : 'action';
}

/** Only decisions have an action. */
function kindsOf({ kinds, action }: SubjectQuery): readonly EntryKind[] {
  return action === undefined ? kinds : kinds.filter((kind) => kind === 'Decision');
}

function conditionOf(
  query: SubjectQuery,
  { foundBy, namespaces }: Ranges,
  more: readonly Term[],
): Required<SqlQuery> {
  const terms = [
    // Without it, no index would be used: they have only entries with a payload.
    ['payload_hash IS NULL'] as const,
    ...more,
    ...namespaceTerms(namespaces),
    ...nameTerms(query, foundBy),
    ...timeTerms(query),
  ];
  return {
    sql: terms.map(([term]) => term).join(' AND '),
    parameters: terms.flatMap(([, ...values]) => values),
  };
}

function nameTerms({ actor, stream, scope, commit }: SubjectQuery, foundBy: FoundBy): readonly Term[] {
  const idOf = (kind: string): string =>
    `(SELECT id FROM entry_name WHERE entry_name.kind = '${kind}' AND name = ?)`;
  const terms: Term[] = [];
  if (actor !== undefined) terms.push([`${column('actor', foundBy)} = ${idOf('Actor')}`, actor]);
  if (stream !== undefined)
    terms.push([`${column('stream', foundBy)} = (SELECT id FROM stream_head WHERE stream = ?)`, stream]);
  if (scope !== undefined) terms.push([`${column('policy', foundBy)} = ${idOf('Policy')}`, scope]);
  if (commit !== undefined) terms.push([`${column('commit', foundBy)} = ${idOf('Commit')}`, commit]);
  return terms;
}

function namespaceTerms(namespaces: readonly bigint[]): readonly Term[] {
  if (namespaces.length === 0) return [];
  return [[`namespace_id + 0 IN (${namespaces.map(() => '?').join(', ')})`, ...namespaces]];
}

/** An index is used for a column alone, and not for an expression. */
function column(name: FoundBy, foundBy: FoundBy): string {
  return `${name}_id${name === foundBy ? '' : ' + 0'}`;
}

/** Partitions are left out by a column alone, and not by a pair of them. */
function partitionTerms({ after, order }: SubjectQuery): readonly Term[] {
  if (after === undefined) return [];
  return [[`time_nanoseconds ${order === 'NewestFirst' ? '<=' : '>='} ?`, after.timeNanoseconds]];
}

function timeTerms({ from, until, after, order }: SubjectQuery): readonly Term[] {
  const terms: Term[] = [];
  if (from !== undefined) terms.push(['time_nanoseconds >= ?', from]);
  if (until !== undefined) terms.push(['time_nanoseconds < ?', until]);
  if (after !== undefined) {
    const beyond = order === 'NewestFirst' ? '<' : '>';
    terms.push([`(time_nanoseconds, position) ${beyond} (?, ?)`, after.timeNanoseconds, after.position]);
  }
  return terms;
}
