import type { Result } from '#kernel';

/** Which SQL is spoken. */
export type SqlDialect = 'sqlite' | 'postgres';

/** What a column or a parameter holds. Every whole number read is a bigint, whatever its column's width. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A read. Parameters are `?`, in both dialects; a `?` that is none has no place in it. */
export interface SqlQuery {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
}

/** A statement of a transaction. */
export interface SqlStatement extends SqlQuery {
  /**
   * Instead of `parameters`: runs the statement for many rows. SQLite runs it once a row; PostgreSQL binds each
   * column as an array, so there it is written with `unnest(?::text[], ?::bigint[])`.
   */
  readonly rows?: readonly (readonly SqlValue[])[];
  /** How many rows it must change or return, all its `rows` together; else everything is rolled back. */
  readonly expect?: {
    readonly count: number;
    /** What the transaction is refused with. */
    readonly otherwise: string;
  };
}

/** What a statement did. */
export interface SqlOutcome {
  /** Rows changed, or returned. */
  readonly count: number;
  /** Rows returned, of a statement with `parameters`. */
  readonly rows: readonly SqlRow[];
}

/** Why a transaction was rolled back: the `otherwise` of the first statement whose count was another. */
export interface SqlRefusal {
  readonly code: string;
}

/** The most rows that one query returns; what needs more reads in pages. */
export const maximumQueryRows = 10_000;

/**
 * The small interface that stores are built on: the same for both dialects, and usable from a worker thread, which
 * is why a transaction is a list and not a callback. Failures are thrown as `AdapterError`.
 */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Reads what is committed. More than `maximumQueryRows` rows are an error, not a cut. */
  query(query: SqlQuery): Promise<readonly SqlRow[]>;
  /** All statements or none, in order. */
  transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>>;
}
