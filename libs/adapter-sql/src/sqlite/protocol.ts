import type { PlainError } from '../database-error.ts';
import type { SqlOutcome, SqlQuery, SqlRefusal, SqlRow, SqlStatement } from '../sql-database.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  readonly file: string;
  /** The one writer holds the process lock and migrates; readers open a migrated file. */
  readonly role: 'writer' | 'reader';
}

/** What a worker is asked. */
export type WorkerRequest =
  | { readonly id: number; readonly ask: 'query'; readonly query: SqlQuery }
  | { readonly id: number; readonly ask: 'transaction'; readonly statements: readonly SqlStatement[] }
  | { readonly id: number; readonly ask: 'close' };

/** What it answers: `id` 0 says that it is ready, or why it never will be. */
export interface WorkerAnswer {
  readonly id: number;
  readonly rows?: readonly SqlRow[];
  readonly outcomes?: readonly SqlOutcome[];
  readonly refusal?: SqlRefusal;
  readonly error?: PlainError;
}
