import type { SqlDialect, SqlQuery, SqlRow } from './sql-database.ts';

/** One connection that only reads, outside the controller. */
export interface ReadConnection {
  readonly dialect: SqlDialect;
  readonly query: (query: SqlQuery) => Promise<readonly SqlRow[]>;
  /** Everything until {@link endSnapshot} is read as of one moment. */
  readonly beginSnapshot: () => Promise<void>;
  readonly endSnapshot: () => Promise<void>;
  readonly close: () => Promise<void>;
}
