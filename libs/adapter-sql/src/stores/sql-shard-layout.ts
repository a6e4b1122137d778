import { type ShardLayout, type ShardLayoutPort, shardLayoutScope } from '#ledger';
import type { SqlDatabase } from '../connection/sql-database.ts';
import { isRenewed } from '../statements/fence-statements.ts';

/** How the policies are spread over shards, in a SQL database. */
export class SqlShardLayout implements ShardLayoutPort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async read(): Promise<ShardLayout> {
    const changing = `SELECT COUNT(*) FROM ledger_epoch WHERE scope = ? AND ${isRenewed(this.#database.dialect)}`;
    const [row] = await this.#database.query({
      sql: `SELECT shard_count, (${changing}) AS changing FROM ledger_identity`,
      parameters: [shardLayoutScope],
    });
    const count = row?.['shard_count'] ?? null;
    return {
      shardCount: count === null ? null : Number(count),
      isChanging: Number(row?.['changing'] ?? 0) > 0,
    };
  }
}
