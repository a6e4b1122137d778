import type { Result } from '#kernel';

export type SqlDialect = 'sqlite' | 'postgres';

/** The value of a column or a parameter. Every integer that is read is a bigint, whatever the width of its column. */
export type SqlValue = string | number | bigint | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A read. Parameters are written `?` in both dialects; the SQL must contain no other `?`. */
export interface SqlQuery {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
}

export interface SqlStatement extends SqlQuery {
  /**
   * Runs the statement for many rows; replaces `parameters`. SQLite runs it once per row. PostgreSQL binds each column
   * as an array, so its SQL uses `unnest(?::text[], ?::bigint[])`.
   */
  readonly rows?: readonly (readonly SqlValue[])[];
  /** How many rows it must change or return, over all its `rows`; any other count rolls the transaction back. */
  readonly expect?: {
    readonly count: number;
    /** The code that the transaction is refused with. */
    readonly otherwise: string;
  };
}

export interface SqlOutcome {
  /** Rows changed or returned. */
  readonly count: number;
  /** Rows returned; empty for a statement with `rows`. */
  readonly rows: readonly SqlRow[];
}

/** Why a transaction was rolled back: the `otherwise` of the first statement whose count differed. */
export interface SqlRefusal {
  readonly code: string;
}

/** The maximum number of rows that one query returns; longer results are read in pages. */
export const maximumQueryRows = 10_000;

/**
 * The interface that stores are built on, the same for both dialects. A transaction is a list of statements and not a
 * callback, so that it can be sent to a worker thread.
 */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /**
   * Reads committed rows.
   *
   * @throws AdapterError; `TooManyRows` where there are more than `maximumQueryRows`.
   */
  query(query: SqlQuery): Promise<readonly SqlRow[]>;
  /**
   * Runs the statements in order, all or none.
   *
   * @throws AdapterError; nothing was stored, except perhaps where the code is `OutcomeUnknown`.
   */
  transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>>;
  /**
   * Begins with what can be done for a transaction while another is carried out. It is asked for next, with the same list, or
   * never.
   */
  prepare?(statements: readonly SqlStatement[]): void;
}
