import type { SqlDatabase } from '#adapter-sql';

/** Brings a migrated database back to its first day. */
export async function emptyLedgerTables(sql: SqlDatabase): Promise<void> {
  const tables = ['ledger_entry', 'stream_head', 'ledger_epoch', 'pending_intent', 'policy_state'];
  await sql.transaction(tables.map((table) => ({ sql: `DELETE FROM ${table}` })));
}
