import type { SqlDialect, SqlQuery, SqlRow } from './sql-database.ts';

/** One connection that only reads, outside the controller. */
export interface ReadConnection {
  readonly dialect: SqlDialect;
  readonly query: (query: SqlQuery) => Promise<readonly SqlRow[]>;
  /** Reads rows one by one, up to the one that is the last; absent: the database sends all rows at once. */
  readonly queryUntil?: (query: SqlQuery, isLast: (row: SqlRow) => boolean) => Promise<readonly SqlRow[]>;
  /** Everything until {@link endSnapshot} is read as of one moment. */
  readonly beginSnapshot: () => Promise<void>;
  readonly endSnapshot: () => Promise<void>;
  readonly close: () => Promise<void>;
}
