import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RestartingWorker } from './restarting-worker.ts';
import { createPrivateFile } from './sqlite-connection.ts';
import { SqliteWorkerClient } from './sqlite-worker-client.ts';

const timeoutMilliseconds = 30_000;
const question = { ask: 'query', query: { sql: 'SELECT 1 AS one' } } as const;

describe('a worker of SQLite', () => {
  let folder = '';
  let file = '';
  let started: SqliteWorkerClient[] = [];
  let worker: RestartingWorker;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-worker-'));
    file = join(folder, 'ledger.db');
    createPrivateFile(file);
    started = [];
    worker = await RestartingWorker.start(async (isAgain) => {
      const client = await SqliteWorkerClient.start(
        { file, role: 'writer', isAgain, givesSpaceBack: false },
        timeoutMilliseconds,
      );
      started.push(client);
      return client;
    });
  });

  afterEach(async () => {
    await worker.close();
    await rm(folder, { recursive: true });
  });

  it('is started again, once, when it has ended', async () => {
    await started[0]?.close();
    const answers = await Promise.all([1, 2, 3].map(() => worker.ask(question)));
    for (const { rows } of answers) expect(rows).toEqual([{ one: 1n }]);
    expect(started).toHaveLength(2);
    expect(worker.load).toBe(0);
  });

  it('counts what waits for the new start, so that others are chosen meanwhile', async () => {
    await started[0]?.close();
    const answer = worker.ask(question);
    expect(worker.load).toBe(1);
    await answer;
  });

  it('carries out a transaction whose rows went to the one that ended', async () => {
    const sql = 'INSERT INTO ledger_epoch (scope, epoch) VALUES (?, ?)';
    const statements = [{ sql, rows: Array.from({ length: 2_500 }, (_, index) => [`a/${index}`, 1n]) }];
    worker.prepare(statements);
    await started[0]?.close();
    const { outcomes } = await worker.ask({ ask: 'transaction', statements });
    expect(outcomes).toEqual([{ count: 2_500, rows: [] }]);
  });

  it('makes no file in the place of one that is gone since', async () => {
    await started[0]?.close();
    await rm(file);
    await expect(worker.ask(question)).rejects.toMatchObject({ code: 'FileGone' });
    expect(existsSync(file)).toBe(false);
  });

  it('stays ended once it is closed', async () => {
    await worker.close();
    await expect(worker.ask(question)).rejects.toMatchObject({ code: 'Closed' });
    expect(started).toHaveLength(1);
  });
});
