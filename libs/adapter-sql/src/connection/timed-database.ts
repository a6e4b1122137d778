import { shortText } from '#kernel';
import type { SqlDatabase, SqlQuery } from './sql-database.ts';

/** Longer than any statement of a healthy database takes, waiting for its turn included. */
const slowMilliseconds = 250;
/** Characters of SQL that tell one statement from another. */
const shownCharacters = 160;

/** A statement that took long; parameters are values of people, and are never part of it. */
export interface SlowStatement {
  /** The first 160 characters of the SQL; of a transaction that of its first statement. */
  readonly sql: string;
  /** How many statements the transaction has; 1 for a query. */
  readonly statements: number;
  readonly milliseconds: number;
}

/** The same database, with each slow query and transaction reported, also one that fails. */
export function timedDatabase(
  database: SqlDatabase,
  report: (slow: SlowStatement) => void,
  elapsed: () => number = () => performance.now(),
): SqlDatabase {
  const timed = async <T>(statements: readonly SqlQuery[], work: () => Promise<T>): Promise<T> => {
    const start = elapsed();
    try {
      return await work();
    } finally {
      const milliseconds = Math.round(elapsed() - start);
      if (milliseconds >= slowMilliseconds)
        report({ sql: shortSql(statements[0]?.sql), statements: statements.length, milliseconds });
    }
  };
  return {
    dialect: database.dialect,
    query: (query) => timed([query], () => database.query(query)),
    transaction: (statements) => timed(statements, () => database.transaction(statements)),
    prepare: (statements) => database.prepare?.(statements),
  };
}

function shortSql(sql = ''): string {
  return shortText(sql.replace(/\s+/g, ' ').trim(), shownCharacters);
}
