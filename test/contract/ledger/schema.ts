import { expect } from '@jest/globals';
import type { DataSource } from 'typeorm';

/** Down to nothing, up again, down again: nothing is left behind, and the entities find what they map. */
export async function expectReversible(source: DataSource): Promise<void> {
  await source.initialize();
  try {
    await source.runMigrations();
    const changes = await source.driver.createSchemaBuilder().log();
    expect(changes.upQueries.map(({ query }) => query)).toEqual([]);
    for (const migration of source.migrations) {
      expect(migration.name).toMatch(/^[A-Z]\w+\d{13}$/);
      await source.undoLastMigration();
    }
    expect(await tablesOf(source)).toEqual(['migration']);
    await source.runMigrations();
    const tables = await tablesOf(source);
    expect(tables).toEqual(expect.arrayContaining(['ledger_entry', 'policy_state', 'stream_head']));
  } finally {
    await source.destroy();
  }
}

async function tablesOf(source: DataSource): Promise<readonly string[]> {
  const sql =
    source.options.type === 'postgres'
      ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
      : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  const rows: readonly { readonly name: string }[] = await source.query(sql);
  return rows.map(({ name }) => name).sort();
}
