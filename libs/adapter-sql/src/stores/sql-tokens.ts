import type { StoredToken, TokenChanges, TokenStorePort } from '#ledger';
import type { SqlDatabase, SqlRow, SqlStatement } from '../connection/sql-database.ts';
import { bigintOf, jsonOrNothing, textOf } from '../statements/rows.ts';

/** More than are ever kept; a list of them is one read. */
const maximumTokens = 5_000;

/** The number of the change that a statement makes: of all changes there are. */
const nextRevision = '(SELECT COALESCE(MAX(revision), 0) + 1 FROM api_token)';

/** API tokens in a SQL database. */
export class SqlTokens implements TokenStorePort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async revision(): Promise<bigint> {
    const [row] = await this.#database.query({
      sql: 'SELECT COALESCE(MAX(revision), 0) AS revision FROM api_token',
    });
    return row === undefined ? 0n : bigintOf(row, 'revision');
  }

  async load(onUnreadable: (id: string) => void = () => undefined): Promise<readonly StoredToken[]> {
    const rows = await this.#database.query({
      sql: `SELECT id, record, last_used_at FROM api_token ORDER BY id LIMIT ${maximumTokens}`,
    });
    return rows.flatMap((row) => {
      const token = tokenOf(row);
      if (token === null) onUnreadable(textOf(row, 'id'));
      return token ?? [];
    });
  }

  async noteUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const notes = [...uses].map(([id, time]) => ({
      sql: 'UPDATE api_token SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
      parameters: [time, id, time],
    }));
    if (notes.length > 0) await this.#database.transaction(notes);
  }
}

/**
 * Stores tokens as they are from now on, and forgets others after that: the newest row stays, since revisions are counted on
 * from it.
 */
export function tokenStatements({ put, forget }: TokenChanges): readonly SqlStatement[] {
  const puts = put.map((token) => ({
    sql: `INSERT INTO api_token (id, revision, record, last_used_at) VALUES (?, ${nextRevision}, ?, ?)
      ON CONFLICT (id) DO UPDATE SET record = excluded.record, revision = excluded.revision`,
    parameters: [token.id, recordOf(token), token.lastUsedAt],
  }));
  return [...puts, ...forget.map((id) => ({ sql: 'DELETE FROM api_token WHERE id = ?', parameters: [id] }))];
}

/** The last use has a column of its own. */
function recordOf(token: StoredToken): string {
  return JSON.stringify({ ...token, lastUsedAt: undefined });
}

/** Null: the record is that of no token. */
function tokenOf(row: SqlRow): StoredToken | null {
  const record = jsonOrNothing(textOf(row, 'record'));
  if (!isToken(record) || record.id !== textOf(row, 'id')) return null;
  const lastUsedAt = row['last_used_at'] === null ? null : textOf(row, 'last_used_at');
  return { ...record, lastUsedAt };
}

/** As far as a caller is known by it, and what it may do. */
function isToken(record: unknown): record is Omit<StoredToken, 'lastUsedAt'> {
  const { sha256, name, owner, expiresAt, revokedAt, grants } = (record ?? {}) as Partial<StoredToken>;
  const texts = [sha256, name, owner, expiresAt, revokedAt ?? ''];
  return (
    texts.every((text) => typeof text === 'string') &&
    revokedAt !== undefined &&
    Array.isArray(grants) &&
    grants.every(({ namespaces }) => Array.isArray(namespaces))
  );
}
