import {
  type EndedDocument,
  type EndedVersion,
  type ListedVersion,
  loadRemovals,
  noRemoval,
  type PolicyAt,
  type PolicyVersion,
  type RevisionChange,
  type RevisionQuery,
  type RevisionRecord,
  type RevisionStorePort,
  type SourceAt,
  type SourceState,
  type StoredDocument,
  type VersionsQuery,
} from '#git-sync';
import { mapInSteps, runInTimeSlices, shareParts, TextPool } from '#kernel';
import { type FenceLookup, HeldFences, outcomeUnknown, type PolicyDeparture, sourceScope } from '#ledger';
import { databaseError, fencedError } from '../connection/database-error.ts';
import { loopClock } from '../connection/loop-clock.ts';
import type { SqlDatabase, SqlDialect, SqlQuery, SqlRow, SqlValue } from '../connection/sql-database.ts';
import { fenceChecks } from '../statements/fence-statements.ts';
import { alreadySaved, refusalIfSaved, saveStatements } from '../statements/revision-statements.ts';
import { bigintOf, jsonIn, textOf } from '../statements/rows.ts';
import { untilKnown } from '../statements/until-known.ts';

/** Documents per query: a few MB at most, so that no answer blocks the event loop. */
const documentsPerPage = 1_000;

/** The maximum length of a page of revisions. */
const maximumRevisions = 100;

/** The maximum number of versions of a policy that one read returns. */
const maximumVersions = 100;

/** The PolicyDefaults of a source that one read returns; a repository has a few. */
const maximumDefaults = 1_000;

const lastPlace = 2n ** 63n - 1n;

const nothingKnown: ReadonlySet<bigint> = new Set();

/** The places of the rows of a query as one text, which SQL returns whole. */
const placesOf: Readonly<Record<SqlDialect, string>> = {
  sqlite: `group_concat(position, ',' ORDER BY position)`,
  postgres: `string_agg(position::text, ',' ORDER BY position)`,
};

/** Revisions in a SQL database. */
export class SqlRevisionStore implements RevisionStorePort {
  readonly #database: SqlDatabase;
  readonly #fences: FenceLookup;

  /** @param fences of the sources that are saved; without them the store only reads. */
  constructor(database: SqlDatabase, fences: FenceLookup = new HeldFences([])) {
    this.#database = database;
    this.#fences = fences;
  }

  readonly listSources = async (): Promise<readonly SourceState[]> => {
    const rows = await this.#database.query({ sql: 'SELECT source, state FROM sync_source ORDER BY source' });
    return rows.map((row) => jsonIn(row, 'state', `source ${textOf(row, 'source')}`) as SourceState);
  };

  readonly loadInForce = async (
    source: string,
    known: Pick<ReadonlyMap<bigint, unknown>, 'has'> = nothingKnown,
  ): Promise<ReadonlyMap<bigint, StoredDocument | null>> => {
    const places = await this.#placesInForce(source);
    const documents = await this.#documentsAt(places.filter((place) => !known.has(place)));
    return new Map(places.map((place) => [place, documents.get(place) ?? null]));
  };

  readonly loadInForceAt = (source: string, time: string): Promise<readonly StoredDocument[]> =>
    this.#documents({
      where: 'source = ? AND valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)',
      parameters: [source, time, time],
    });

  readonly loadEnded = async (source: string, time: string): Promise<readonly EndedDocument[]> => {
    const rows = await this.#rows({ where: 'source = ? AND valid_to = ?', parameters: [source, time] });
    return rows.map((row) => ({ document: documentOf(row), departure: departureOf(row) }));
  };

  readonly save = async (change: RevisionChange): Promise<void> => {
    const { source } = change.state;
    const fence = this.#fences.of(sourceScope(source));
    const { dialect } = this.#database;
    const statements = await runInTimeSlices(saveStatements(dialect, change), loopClock, 'sync: storing');
    let attempts = 0;
    const saved = await untilKnown((attempt) => {
      attempts = attempt;
      return this.#database.transaction([
        ...fenceChecks(dialect, [fence]),
        ...(attempt === 1 ? [] : refusalIfSaved(dialect, change)),
        ...statements,
      ]);
    });
    if (saved.ok || saved.error.code === alreadySaved) return;
    if (saved.error.code === 'Fenced' && attempts > 1)
      throw databaseError(outcomeUnknown, `${source} was taken over before it was known whether it is saved`);
    if (saved.error.code === 'Fenced') throw fencedError(fence);
    throw databaseError('QueryFailed', `revision not saved: ${saved.error.code}`);
  };

  readonly listRevisions = async (source: string, limit: number): Promise<readonly RevisionRecord[]> => {
    const rows = await this.#database.query({
      sql: 'SELECT record FROM revision WHERE source = ? ORDER BY position DESC LIMIT ?',
      parameters: [source, Math.min(limit, maximumRevisions)],
    });
    return rows.map((row) => jsonIn(row, 'record') as RevisionRecord);
  };

  readonly loadRevisions = async (
    queries: readonly RevisionQuery[],
  ): Promise<readonly (RevisionRecord | undefined)[]> => {
    const lists = await this.#lists({
      sql: queries.map(revisionsPart).join(' UNION ALL '),
      parameters: queries.flatMap(({ source, by }) => [source, 'commit' in by ? by.commit : by.finishedAt]),
      order: 'position DESC',
    });
    return queries.map(({ outcomes }, list) =>
      (lists.get(list) ?? [])
        .map((row) => jsonIn(row, 'record') as RevisionRecord)
        .find((revision) => outcomes.some((outcome) => outcome === revision.outcome)),
    );
  };

  readonly loadLatestRevision = async (
    source: string,
    commit: string,
  ): Promise<RevisionRecord | undefined> => {
    const [row] = await this.#database.query({
      sql: 'SELECT record FROM revision WHERE source = ? AND commit_hash = ? ORDER BY position DESC LIMIT 1',
      parameters: [source, commit],
    });
    return row === undefined ? undefined : (jsonIn(row, 'record') as RevisionRecord);
  };

  readonly loadVersionsAt = async (
    queries: readonly PolicyAt[],
  ): Promise<readonly (PolicyVersion | undefined)[]> => {
    const lists = await this.#lists({
      sql: queries.map(versionAtPart).join(' UNION ALL '),
      parameters: queries.flatMap(({ namespace, name, time }) => [namespace, name, time, time]),
      order: 'position DESC',
    });
    const versions = await this.#versionsIn(lists);
    return queries.map((_, list) => versions.get(list)?.[0]?.version);
  };

  readonly loadVersions = async (
    queries: readonly VersionsQuery[],
  ): Promise<readonly (readonly ListedVersion[])[]> => {
    const lists = await this.#lists({
      sql: queries.map(versionsPart).join(' UNION ALL '),
      parameters: queries.flatMap(({ namespace, name, before, limit }) => [
        namespace,
        name,
        before ?? lastPlace,
        Math.min(limit, maximumVersions),
      ]),
      order: 'position DESC',
    });
    const versions = await this.#versionsIn(lists);
    return queries.map((_, list) => versions.get(list) ?? []);
  };

  readonly loadDefaultsAt = async (
    queries: readonly SourceAt[],
  ): Promise<readonly (readonly StoredDocument[])[]> => {
    const lists = await this.#lists({
      sql: queries.map(defaultsPart).join(' UNION ALL '),
      parameters: queries.flatMap(({ source, time }) => [source, time, time]),
      order: 'position',
    });
    return queries.map((_, list) => (lists.get(list) ?? []).map(documentOf));
  };

  /** Their versions, with the commits that left them out. */
  async #versionsIn(
    lists: ReadonlyMap<number, readonly SqlRow[]>,
  ): Promise<ReadonlyMap<number, readonly ListedVersion[]>> {
    const found = [...lists].flatMap(([list, rows]) =>
      rows.map((row) => ({ list, place: bigintOf(row, 'position'), version: versionOf(row) })),
    );
    const removed = await loadRemovals(
      found.map(({ version }) => version),
      this.loadRevisions,
    );
    const versions = found.map(({ list, place, version }) => ({
      list,
      place,
      version: { ...version, ...(removed.get(version) ?? noRemoval) },
    }));
    return Map.groupBy(versions, ({ list }) => list);
  }

  /** The rows of several lists in one read, by the number of their list. */
  async #lists({
    sql,
    parameters,
    order,
  }: Required<SqlQuery> & { readonly order: string }): Promise<ReadonlyMap<number, readonly SqlRow[]>> {
    const rows = await this.#database.query({ sql: `${sql} ORDER BY list, ${order}`, parameters });
    return Map.groupBy(rows, (row) => Number(bigintOf(row, 'list')));
  }

  async #documents(condition: VersionCondition): Promise<readonly StoredDocument[]> {
    const texts = new TextPool();
    const rows = await this.#rows(condition);
    return runInTimeSlices(
      mapInSteps(rows, (row) => sharedDocument(row, texts)),
      loopClock,
      'sync: reading documents',
    );
  }

  /** All of one moment: a list that is read in pages may have both versions of a document that is replaced meanwhile. */
  async #placesInForce(source: string): Promise<readonly bigint[]> {
    const [row] = await this.#database.query({
      sql: `SELECT ${placesOf[this.#database.dialect]} AS places FROM policy_version
        WHERE source = ? AND valid_to IS NULL`,
      parameters: [source],
    });
    const places = row?.['places'];
    return typeof places === 'string' ? places.split(',').map(BigInt) : [];
  }

  /** @throws AdapterError `Contended` where one was deleted meanwhile, which was then not in force any more. */
  async #documentsAt(places: readonly bigint[]): Promise<ReadonlyMap<bigint, StoredDocument>> {
    const found = new Map<bigint, StoredDocument>();
    const texts = new TextPool();
    for (let start = 0; start < places.length; start += documentsPerPage) {
      const part = places.slice(start, start + documentsPerPage);
      const rows = await this.#database.query({
        sql: `SELECT position, record FROM policy_version WHERE position IN (${part.map(() => '?').join(', ')})`,
        parameters: part,
      });
      const steps = mapInSteps(rows, (row) => {
        found.set(bigintOf(row, 'position'), sharedDocument(row, texts));
      });
      await runInTimeSlices(steps, loopClock, 'sync: reading documents');
    }
    if (found.size === places.length) return found;
    throw databaseError('Contended', 'documents were deleted while they were read');
  }

  /** Reads all versions, page by page. */
  async #rows({ where, parameters }: VersionCondition): Promise<readonly SqlRow[]> {
    const found: SqlRow[] = [];
    let after: SqlValue = -1n;
    for (;;) {
      const rows: readonly SqlRow[] = await this.#database.query({
        sql: `SELECT position, departure, record FROM policy_version
          WHERE ${where} AND position > ? ORDER BY position LIMIT ${documentsPerPage}`,
        parameters: [...parameters, after],
      });
      found.push(...rows);
      const last = rows.at(-1)?.['position'];
      if (rows.length < documentsPerPage || last === undefined) return found;
      after = last;
    }
  }
}

interface VersionCondition {
  readonly where: string;
  readonly parameters: readonly SqlValue[];
}

/** A document as it is kept: with the texts of others, and with defaults in place of no more than they change. */
function sharedDocument(row: SqlRow, texts: TextPool): StoredDocument {
  const stored = texts.share(documentOf(row));
  return { ...stored, document: shareParts(stored.value, stored.document) };
}

function documentOf(row: SqlRow): StoredDocument {
  return jsonIn(row, 'record') as StoredDocument;
}

function revisionsPart({ by }: RevisionQuery, list: number): string {
  const column = 'commit' in by ? 'commit_hash' : 'finished_at';
  return `SELECT * FROM (SELECT ${list} AS list, position, record FROM revision
    WHERE source = ? AND ${column} = ? ORDER BY position DESC LIMIT ${maximumRevisions}) AS list_${list}`;
}

function versionAtPart(_query: PolicyAt, list: number): string {
  return `SELECT * FROM (SELECT ${list} AS list, position, source, valid_to, departure, record FROM policy_version
    WHERE namespace = ? AND name = ? AND role = 'Policy' AND valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)
    ORDER BY position DESC LIMIT 1) AS list_${list}`;
}

function versionsPart(_query: VersionsQuery, list: number): string {
  return `SELECT * FROM (SELECT ${list} AS list, position, source, valid_to, departure, record FROM policy_version
    WHERE namespace = ? AND name = ? AND role = 'Policy' AND position < ? ORDER BY position DESC LIMIT ?) AS list_${list}`;
}

/** `policy_version_defaults` has them alone: of a source there may be many policies, and have been more. */
function defaultsPart(_query: SourceAt, list: number): string {
  return `SELECT * FROM (SELECT ${list} AS list, position, record FROM policy_version
    WHERE role = 'Defaults' AND source = ? AND valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)
    ORDER BY position LIMIT ${maximumDefaults}) AS list_${list}`;
}

function versionOf(row: SqlRow): EndedVersion {
  const { source, valid_to: validTo } = row;
  return {
    ...documentOf(row),
    source: typeof source === 'string' ? source : '',
    validTo: typeof validTo === 'string' ? validTo : null,
    departure: departureOf(row),
  };
}

function departureOf({ departure }: SqlRow): PolicyDeparture | null {
  return typeof departure === 'string' ? (departure as PolicyDeparture) : null;
}
