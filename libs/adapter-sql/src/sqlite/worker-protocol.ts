import type { PlainError } from '../connection/database-error.ts';
import type { SqlOutcome, SqlQuery, SqlRefusal, SqlRow, SqlStatement } from '../connection/sql-database.ts';

export interface WorkerSettings {
  readonly file: string;
  /** The one writer holds the process lock and migrates; readers open the migrated file. */
  readonly role: 'writer' | 'reader';
  /** It was open before: a file that is gone since is not made anew. */
  readonly isAgain: boolean;
  /** Whether space that is freed goes back to the file system. */
  readonly givesSpaceBack: boolean;
}

export type WorkerRequest =
  | { readonly id: number; readonly ask: 'query'; readonly query: SqlQuery }
  | {
      readonly id: number;
      readonly ask: 'transaction';
      readonly statements: readonly SqlStatement[];
      /** How many {@link RowsMessage}s were sent before it. */
      readonly parts?: number;
    }
  | { readonly id: number; readonly ask: 'close' };

/** Rows of a statement of the transaction with that id, which is sent after them: it has too many to be sent at once. */
export interface RowsMessage {
  readonly id: number;
  readonly ask: 'rows';
  /** Of the statement, in the transaction. */
  readonly index: number;
  readonly rows: NonNullable<SqlStatement['rows']>;
}

/** The transaction with that id, whose rows were sent, is not asked for. */
export interface ForgetMessage {
  readonly id: number;
  readonly ask: 'forget';
}

/** An answer. The one with `id` 0 reports that the worker is ready, or why it could not open the file. */
export interface WorkerAnswer {
  readonly id: number;
  readonly rows?: readonly SqlRow[];
  readonly outcomes?: readonly SqlOutcome[];
  readonly refusal?: SqlRefusal;
  readonly error?: PlainError;
}
