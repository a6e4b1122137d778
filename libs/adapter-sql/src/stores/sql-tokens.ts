import type { Fence, StoredToken, TokenStorePort } from '#ledger';
import { databaseError } from '../database-error.ts';
import type { SqlDatabase, SqlRow, SqlStatement } from '../sql-database.ts';
import { noticeStatements } from './change-notices.ts';
import { bigintOf, parsedColumn, textOf } from './rows.ts';
import { writeFenced } from './write-fenced.ts';

/** More than are ever kept; a list of them is one read. */
const maximumTokens = 5_000;

/** Tokens that are over and are kept to be looked at; beyond them the oldest are forgotten, so that valid ones have room. */
const maximumEnded = 2_000;

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

  async load(): Promise<readonly StoredToken[]> {
    const rows = await this.#database.query({
      sql: `SELECT id, record, last_used_at FROM api_token ORDER BY id LIMIT ${maximumTokens}`,
    });
    return rows.map(tokenOf);
  }

  /** The newest row stays, also when it has expired: revisions are counted on from it. */
  async add(token: StoredToken, fence: Fence, forgetBefore: string): Promise<void> {
    const forgotten = forgettable(await this.load(), token.createdAt, forgetBefore);
    const add = {
      sql: `INSERT INTO api_token (id, revision, record, last_used_at) VALUES (?, ${nextRevision}, ?, ?)`,
      parameters: [token.id, recordOf(token), token.lastUsedAt],
    };
    await this.#write(fence, [add, ...forgotten.map(({ id }) => deleteToken(id))]);
  }

  async revoke(ids: readonly string[], revokedAt: string, fence: Fence): Promise<void> {
    const wanted = new Set(ids);
    const revoked = (await this.load()).filter((token) => wanted.has(token.id) && token.revokedAt === null);
    await this.#write(
      fence,
      revoked.map((token) => ({
        sql: `UPDATE api_token SET record = ?, revision = ${nextRevision} WHERE id = ?`,
        parameters: [recordOf({ ...token, revokedAt }), token.id],
      })),
    );
  }

  async noteUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const notes = [...uses].map(([id, time]) => ({
      sql: 'UPDATE api_token SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
      parameters: [time, id, time],
    }));
    if (notes.length > 0) await this.#database.transaction(notes);
  }

  async #write(fence: Fence, statements: readonly SqlStatement[]): Promise<void> {
    const notices = noticeStatements(this.#database.dialect, ['Tokens']);
    await writeFenced(this.#database, [fence], [...statements, ...notices]);
  }
}

/** What expired long ago, and of all else that is over the oldest beyond the bound. */
function forgettable(tokens: readonly StoredToken[], now: string, before: string): readonly StoredToken[] {
  const ended = tokens
    .filter(({ revokedAt, expiresAt }) => revokedAt !== null || expiresAt <= now)
    .toSorted((one, other) => (endOf(one) < endOf(other) ? 1 : -1));
  return ended.filter(({ expiresAt }, index) => index >= maximumEnded || expiresAt < before);
}

function endOf({ revokedAt, expiresAt }: StoredToken): string {
  return revokedAt !== null && revokedAt < expiresAt ? revokedAt : expiresAt;
}

/** The last use has a column of its own. */
function recordOf(token: StoredToken): string {
  return JSON.stringify({ ...token, lastUsedAt: undefined });
}

function deleteToken(id: string): SqlStatement {
  return { sql: 'DELETE FROM api_token WHERE id = ?', parameters: [id] };
}

function tokenOf(row: SqlRow): StoredToken {
  const record = parsedColumn(row, 'record', textOf(row, 'record'));
  if (typeof record !== 'object') throw databaseError('DatabaseCorrupt', 'a token is no object');
  const lastUsedAt = row['last_used_at'] === null ? null : textOf(row, 'last_used_at');
  return { ...(record as Omit<StoredToken, 'lastUsedAt'>), lastUsedAt };
}
