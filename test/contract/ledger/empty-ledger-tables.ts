import {
  type LedgerDatabase,
  type SqlDatabase,
  SqlRevisionStore,
  SqlShardLayout,
  type SqlStatement,
  SqlTokens,
} from '#adapter-sql';
import type { StoredSource } from '#ledger';
import type { EmptyLedger } from './ledger-context.ts';

/** Brings a migrated database back to its first day. */
async function emptyLedgerTables(sql: SqlDatabase): Promise<void> {
  const tables = [
    'ledger_entry',
    'stream_head',
    'ledger_epoch',
    'pending_intent',
    'policy_state',
    'policy_conditions',
    'intervention',
    'api_token',
    'sync_source',
  ];
  const { off, on } = await keepingEntries(sql);
  const emptying = tables.map((table) => ({ sql: `DELETE FROM ${table}` }));
  const sameShards = { sql: 'UPDATE ledger_identity SET shard_count = NULL' };
  await sql.transaction([off, ...emptying, sameShards, on]);
}

/** The trigger that refuses to delete entries, off and on again. */
async function keepingEntries(
  sql: SqlDatabase,
): Promise<{ readonly off: SqlStatement; readonly on: SqlStatement }> {
  if (sql.dialect === 'postgres') {
    const alter = (verb: string): SqlStatement => ({
      sql: `ALTER TABLE ledger_entry ${verb} TRIGGER ledger_entry_kept`,
    });
    return { off: alter('DISABLE'), on: alter('ENABLE') };
  }
  const [row] = await sql.query({ sql: "SELECT sql FROM sqlite_schema WHERE name = 'ledger_entry_kept'" });
  return { off: { sql: 'DROP TRIGGER ledger_entry_kept' }, on: { sql: String(row?.['sql']) } };
}

/** Empties a database, for the contract suite. */
export async function emptyLedger({ ledger, fences, sql }: LedgerDatabase): Promise<EmptyLedger> {
  await emptyLedgerTables(sql);
  const layout = new SqlShardLayout(sql);
  const tokens = new SqlTokens(sql);
  const sources = (): Promise<readonly StoredSource[]> => new SqlRevisionStore(sql).listSources();
  return { ledger, fences, layout, tokens, sources, age: (seconds) => ageFences(sql, seconds) };
}

/** Makes every fence so many seconds older. */
export async function ageFences(sql: SqlDatabase, seconds: number): Promise<void> {
  await sql.transaction([
    {
      sql: 'UPDATE ledger_epoch SET renewed_at = renewed_at - ?',
      parameters: [BigInt(seconds) * 1_000n],
    },
  ]);
}
