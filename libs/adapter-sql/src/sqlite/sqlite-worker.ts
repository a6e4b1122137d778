import { parentPort, workerData } from 'node:worker_threads';
import { isMigrated } from './is-migrated.ts';
import { lockForProcess, type ProcessLock } from './process-lock.ts';
import { createPrivateFile, prepareEmptyFile, SqliteConnection } from './sqlite-connection.ts';
import { plainSqliteError } from './sqlite-error.ts';
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from './worker-protocol.ts';

interface Opened {
  readonly connection: SqliteConnection;
  readonly lock: ProcessLock | null;
}

function answer(message: WorkerAnswer): void {
  parentPort?.postMessage(message);
}

async function open({ file, role }: WorkerSettings): Promise<Opened> {
  if (role === 'reader') return { connection: new SqliteConnection(file, role), lock: null };
  createPrivateFile(file);
  createPrivateFile(`${file}.lock`);
  const lock = lockForProcess(file);
  try {
    prepareEmptyFile(file);
    if (!isMigrated(file)) await migrate(file);
    return { connection: new SqliteConnection(file, role), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Imports TypeORM only where there is something to migrate. */
async function migrate(file: string): Promise<void> {
  const { migrateSqlite } = await import('./migrate-sqlite.ts');
  await migrateSqlite(file);
}

function serve({ connection, lock }: Opened, request: WorkerRequest): WorkerAnswer {
  const { id } = request;
  switch (request.ask) {
    case 'query':
      return { id, rows: connection.query(request.query) };
    case 'transaction':
      return { id, ...connection.transaction(request.statements) };
    case 'close':
      connection.close();
      lock?.release();
      return { id };
  }
}

const settings = workerData as WorkerSettings;

async function run(): Promise<void> {
  const opened = await open(settings);
  parentPort?.on('message', (request: WorkerRequest) => {
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
