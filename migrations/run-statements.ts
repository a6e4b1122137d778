import type { QueryRunner } from 'typeorm';

/** The statements of each dialect; both make the same tables and columns. */
export interface DialectStatements {
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

/** Runs the statements of the connection's dialect, in order. */
export async function runStatements(runner: QueryRunner, statements: DialectStatements): Promise<void> {
  const dialect = runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
  for (const statement of statements[dialect]) await runner.query(statement);
}
