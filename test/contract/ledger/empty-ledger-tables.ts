import type { LedgerDatabase, SqlDatabase } from '#adapter-sql';
import type { EmptyLedger } from './ledger-contract.ts';

/** Brings a migrated database back to its first day. */
async function emptyLedgerTables(sql: SqlDatabase): Promise<void> {
  const tables = ['ledger_entry', 'stream_head', 'ledger_epoch', 'pending_intent', 'policy_state'];
  await sql.transaction(tables.map((table) => ({ sql: `DELETE FROM ${table}` })));
}

/** Empties a database, for the contract suite. */
export async function emptyLedger({ ledger, fences, sql }: LedgerDatabase): Promise<EmptyLedger> {
  await emptyLedgerTables(sql);
  return { ledger, fences, age: (seconds) => ageFences(sql, seconds) };
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
