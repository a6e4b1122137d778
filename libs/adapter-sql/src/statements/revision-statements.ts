import type {
  RevisionChange,
  RevisionRecord,
  SourceState,
  StoredDocument,
  StoredDocumentKey,
} from '#git-sync';
import { mapInSteps } from '#kernel';
import type { PolicyDeparture, StoredSource } from '#ledger';
import type { SqlDialect, SqlStatement, SqlValue } from '../connection/sql-database.ts';
import { noticeStatements } from './change-notices.ts';

interface SaveSql {
  readonly end: string;
  readonly put: string;
}

const sqlOf: Readonly<Record<SqlDialect, SaveSql>> = {
  sqlite: {
    end: `UPDATE policy_version SET valid_to = ?, departure = ?
      WHERE source = ? AND role = ? AND namespace = ? AND name = ? AND (role = 'Policy' OR (tenant = ? AND file = ?))
        AND valid_to IS NULL`,
    put: `INSERT INTO policy_version (source, role, tenant, namespace, name, valid_from, file, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  postgres: {
    end: `UPDATE policy_version AS version SET valid_to = ended.time, departure = ended.departure
      FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
        AS ended (time, departure, source, role, namespace, name, tenant, file)
      WHERE version.source = ended.source AND version.role = ended.role AND version.namespace = ended.namespace
        AND version.name = ended.name
        AND (version.role = 'Policy' OR (version.tenant = ended.tenant AND version.file = ended.file))
        AND version.valid_to IS NULL`,
    put: `INSERT INTO policy_version (source, role, tenant, namespace, name, valid_from, file, record)
      SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])`,
  },
};

/** What stores a change, with the notice that tells other processes; one document per step. */
export function* saveStatements(
  dialect: SqlDialect,
  change: RevisionChange,
): Generator<void, readonly SqlStatement[], void> {
  const sql = sqlOf[dialect];
  const { source } = change.state;
  const { time } = change;
  const ended = [
    ...change.end.map((key) => endRow(source, key, { time, departure: key.departure })),
    ...change.put.map((key) => endRow(source, key, { time, departure: null })),
  ];
  const put = yield* mapInSteps(change.put, (document) => putRow(source, document));
  return [
    ...(ended.length === 0 ? [] : [{ sql: sql.end, rows: ended }]),
    ...(put.length === 0 ? [] : [{ sql: sql.put, rows: put }]),
    ...revisionStatements(change),
    sourceStatement(change.state),
    ...noticeStatements(dialect, ['Sources']),
  ];
}

/** Why a change is refused that is stored already. */
export const alreadySaved = 'AlreadySaved';

/** Refuses a change that an earlier attempt, whose answer was lost, has saved. The lock waits for that attempt. */
export function refusalIfSaved(dialect: SqlDialect, { state }: RevisionChange): readonly SqlStatement[] {
  const select = 'SELECT source FROM sync_source WHERE source = ?';
  const lock = dialect === 'postgres' ? [{ sql: `${select} FOR UPDATE`, parameters: [state.source] }] : [];
  return [
    ...lock,
    {
      sql: `${select} AND state = ?`,
      parameters: [state.source, text(state)],
      expect: { count: 0, otherwise: alreadySaved },
    },
  ];
}

/** Where a source stands from now on. */
export function sourceStatement(state: StoredSource): SqlStatement {
  return {
    sql: `INSERT INTO sync_source (source, state) VALUES (?, ?)
      ON CONFLICT (source) DO UPDATE SET state = excluded.state`,
    parameters: [state.source, JSON.stringify(state)],
  };
}

function revisionStatements({ revision }: RevisionChange): readonly SqlStatement[] {
  if (revision === null) return [];
  const { source, commit, finishedAt } = revision;
  return [
    {
      sql: 'INSERT INTO revision (source, commit_hash, finished_at, record) VALUES (?, ?, ?, ?)',
      parameters: [source, commit.hash, finishedAt, text(revision)],
    },
  ];
}

function endRow(
  source: string,
  key: StoredDocumentKey,
  { time, departure }: { readonly time: string; readonly departure: PolicyDeparture | null },
): readonly SqlValue[] {
  return [time, departure, source, key.role, key.namespace, key.name, key.tenant, fileKey(key)];
}

function putRow(source: string, document: StoredDocument): readonly SqlValue[] {
  const { role, tenant, namespace, name, validFrom } = document;
  return [source, role, tenant, namespace, name, validFrom, fileKey(document), text(document)];
}

/** A policy keeps its identity when it moves to another file; other roles do not. */
function fileKey({ role, file }: StoredDocumentKey): string {
  return role === 'Policy' ? '' : file;
}

function text(value: SourceState | RevisionRecord | StoredDocument): string {
  return JSON.stringify(value);
}
