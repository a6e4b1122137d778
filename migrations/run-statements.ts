import type { QueryRunner } from 'typeorm';

/** The statements of each dialect; both make the same tables and columns. */
export interface DialectStatements {
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

/** Runs the statements of the connection's dialect, in order. */
export async function runStatements(runner: QueryRunner, statements: DialectStatements): Promise<void> {
  for (const statement of statements[isPostgres(runner) ? 'postgres' : 'sqlite'])
    await runner.query(statement);
}

/** Whether the connection is one to PostgreSQL. */
export function isPostgres(runner: QueryRunner): boolean {
  return runner.dataSource.options.type === 'postgres';
}
