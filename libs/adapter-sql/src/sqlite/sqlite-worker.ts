import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { describeGone } from '#files';
import { databaseError } from '../connection/database-error.ts';
import type { SqlStatement } from '../connection/sql-database.ts';
import { lockForProcess, type ProcessLock } from './process-lock.ts';
import { createPrivateFile, letGiveSpaceBack, SqliteConnection } from './sqlite-connection.ts';
import { plainSqliteError } from './sqlite-error.ts';
import type {
  ForgetMessage,
  RowsMessage,
  WorkerAnswer,
  WorkerRequest,
  WorkerSettings,
} from './worker-protocol.ts';

type TransactionRequest = Extract<WorkerRequest, { ask: 'transaction' }>;

interface Opened {
  readonly connection: SqliteConnection;
  readonly lock: ProcessLock | null;
}

function answer(message: WorkerAnswer): void {
  parentPort?.postMessage(message);
}

async function open({ file, role, isAgain, givesSpaceBack }: WorkerSettings): Promise<Opened> {
  // Opening would begin a ledger in the place of the one that is gone.
  if (isAgain && !existsSync(file)) throw databaseError('FileGone', describeGone(file));
  if (role === 'reader') return { connection: new SqliteConnection(file, role), lock: null };
  createPrivateFile(file);
  createPrivateFile(`${file}.lock`);
  const lock = lockForProcess(file);
  try {
    if (givesSpaceBack) letGiveSpaceBack(file);
    await migrate(file);
    return { connection: new SqliteConnection(file, role), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Imports the migrations for the one thread that writes, and TypeORM only where there is something to migrate. */
async function migrate(file: string): Promise<void> {
  const { isMigrated } = await import('./is-migrated.ts');
  if (isMigrated(file)) return;
  const { migrateSqlite } = await import('./migrate-sqlite.ts');
  await migrateSqlite(file);
}

function serve({ connection, lock }: Opened, request: WorkerRequest): WorkerAnswer {
  const { id } = request;
  switch (request.ask) {
    case 'query':
      return { id, rows: connection.query(request.query) };
    case 'transaction':
      return { id, ...connection.transaction(withRows(request)) };
    case 'close':
      connection.close();
      lock?.release();
      return { id };
  }
}

/** Of transactions that have not been sent whole. */
const early = new Map<number, RowsMessage[]>();

/** The statements of a transaction, with the rows that were sent before it. */
function withRows({ id, statements, parts = 0 }: TransactionRequest): readonly SqlStatement[] {
  const messages = early.get(id) ?? [];
  early.delete(id);
  // A worker that took the place of another has not seen what the other got.
  if (messages.length !== parts) throw databaseError('QueryFailed', 'rows of the transaction are missing');
  if (parts === 0) return statements;
  const byStatement = Map.groupBy(messages, ({ index }) => index);
  return statements.map((statement, index) => {
    const rows = byStatement.get(index)?.flatMap((message) => message.rows);
    return rows === undefined ? statement : { ...statement, rows };
  });
}

function keepRows(message: RowsMessage): void {
  const known = early.get(message.id);
  if (known === undefined) early.set(message.id, [message]);
  else known.push(message);
}

const settings = workerData as WorkerSettings;

async function run(): Promise<void> {
  const opened = await open(settings);
  parentPort?.on('message', (request: WorkerRequest | RowsMessage | ForgetMessage) => {
    if (request.ask === 'rows') {
      keepRows(request);
      return;
    }
    if (request.ask === 'forget') {
      early.delete(request.id);
      return;
    }
    try {
      answer(serve(opened, request));
    } catch (error) {
      answer({ id: request.id, error: plainSqliteError(error, settings.file) });
    }
    if (request.ask === 'close') parentPort?.close();
  });
  answer({ id: 0 });
}

run().catch((error: unknown) => {
  answer({ id: 0, error: plainSqliteError(error, settings.file) });
});
