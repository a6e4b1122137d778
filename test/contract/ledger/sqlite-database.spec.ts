import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { LedgerWriter, policyStream, sha256Hex, verifyStream } from '#ledger';
import { takeFence } from '#ledger/testing';
import { aDecisionDraft, appended, checkout, timeAfter } from '../../support/ledger-builders.ts';

async function aFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'plimsoll-sqlite-'));
}

function openFile(file: string): Promise<LedgerDatabase> {
  return openLedgerDatabase({ url: `sqlite:${file}` });
}

function startAppending(file: string): ChildProcess {
  const program = fileURLToPath(new URL('./processes/append-until-killed.ts', import.meta.url));
  return spawn(process.execPath, ['--conditions=source', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function untilPrinted(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(word)) resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`ended with ${String(code)} before it printed ${word}`));
    });
  });
}

function killed(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  return ended;
}

describe('a SQLite file', () => {
  let folder = '';
  let file = '';

  beforeEach(async () => {
    folder = await aFolder();
    file = join(folder, 'data', 'ledger.db');
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('holds a chain that verifies after a SIGKILL in the middle of appends', async () => {
    const child = startAppending(file);
    await untilPrinted(child, 'durable');
    await killed(child);
    const database = await openFile(file);
    const { ledger } = database;
    const stream = policyStream(checkout);
    const [head] = await ledger.heads([stream]);
    expect(head!.seq).toBeGreaterThanOrEqual(250n);
    expect(head!.seq % 50n).toBe(0n);
    const entries = [];
    for (let after = 0n; after < head!.seq; after += 1_000n)
      entries.push(...(await ledger.streamEntries({ stream, after, limit: 1_000 })));
    expect(verifyStream(entries, head!, sha256Hex)).toEqual({ ok: true, value: head });
    const states = await ledger.policyStates([checkout]);
    expect(states[0]?.updatedAt).toBe(entries.at(-1)?.time);
    expect(await ledger.pendingIntents({ limit: 10 })).toHaveLength(1);
    await database.close();
  });

  it('refuses a second process while the first lives, and names it', async () => {
    const child = startAppending(file);
    await untilPrinted(child, 'appending');
    const refusal: unknown = await openFile(file).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'DatabaseLocked', retryable: false });
    expect(String(refusal)).toContain(`process ${child.pid}`);
    await killed(child);
    await (await openFile(file)).close();
  });

  it('leaves no thread running when another program holds its write lock, so that the process can end', async () => {
    await (await openFile(file)).close();
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const program = `import { openLedgerDatabase } from '#adapter-sql';
      await openLedgerDatabase({ url: ${JSON.stringify(`sqlite:${file}`)} }).catch(() => { process.exitCode = 3; });`;
    const child = spawn(
      process.execPath,
      ['--conditions=source', '--input-type=module-typescript', '--eval', program],
      { stdio: 'inherit', cwd: join(import.meta.dirname, '..', '..', '..') },
    );
    try {
      await once(child, 'exit', { signal: AbortSignal.timeout(15_000) });
    } finally {
      child.kill('SIGKILL');
      other.exec('ROLLBACK');
      other.close();
    }
    expect(child.exitCode).toBe(3);
  });

  it('lets no other user read its files', async () => {
    const database = await openFile(file);
    for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db.lock'])
      expect((await stat(join(folder, 'data', name))).mode & 0o777).toBe(0o600);
    await database.close();
  });

  it('says that a file is no database', async () => {
    const text = join(folder, 'text.db');
    await writeFile(text, 'no database, but long enough to be taken for one '.repeat(200));
    await expect(openFile(text)).rejects.toMatchObject({ name: 'AdapterError', retryable: false });
  });
});

describe('an open SQLite database', () => {
  let folder = '';
  let database: LedgerDatabase;

  beforeAll(async () => {
    folder = await aFolder();
    database = await openFile(join(folder, 'ledger.db'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('reads what was just written, whole numbers as bigint', async () => {
    const { sql } = database;
    const largest = 2n ** 63n - 1n;
    for (let round = 0n; round < 20n; round += 1n) {
      await sql.transaction([
        { sql: 'DELETE FROM ledger_epoch' },
        { sql: 'INSERT INTO ledger_epoch (scope, epoch) VALUES (?, ?)', parameters: ['x', largest - round] },
      ]);
      expect(await sql.query({ sql: 'SELECT epoch FROM ledger_epoch' })).toEqual([
        { epoch: largest - round },
      ]);
    }
  });

  it('rolls everything back when a statement changes another number of rows than expected', async () => {
    const { sql } = database;
    const add = {
      sql: 'INSERT INTO ledger_epoch (scope, epoch) VALUES (?, ?)',
      rows: [
        ['a', 1n],
        ['b', 1n],
      ],
    };
    const change = {
      sql: 'UPDATE ledger_epoch SET epoch = 2 WHERE scope = ?',
      parameters: ['c'],
      expect: { count: 1, otherwise: 'Nope' },
    };
    expect(await sql.transaction([add, change])).toEqual({ ok: false, error: { code: 'Nope' } });
    await expect(sql.transaction([add, { sql: 'no sql' }])).rejects.toMatchObject({ code: 'QueryFailed' });
    await expect(sql.transaction([add, add])).rejects.toMatchObject({ code: 'ConstraintViolated' });
    expect(await sql.query({ sql: "SELECT * FROM ledger_epoch WHERE scope IN ('a', 'b')" })).toEqual([]);
  });

  it('refuses a query without a bound, and one that writes', async () => {
    const { sql } = database;
    const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
    await expect(sql.query({ sql: endless })).rejects.toMatchObject({ code: 'TooManyRows' });
    await expect(sql.query({ sql: 'DELETE FROM ledger_entry RETURNING seq' })).rejects.toMatchObject({
      name: 'AdapterError',
    });
  });

  it('never changes or deletes an entry', async () => {
    const { ledger, fences, sql } = database;
    const writer = new LedgerWriter({
      port: ledger,
      fence: await takeFence(fences),
      cluster: 'test',
    });
    appended(await writer.append({ drafts: [aDecisionDraft()] }));
    await expect(sql.transaction([{ sql: "UPDATE ledger_entry SET action = 'None'" }])).rejects.toThrow(
      'a ledger entry is never changed',
    );
    await expect(sql.transaction([{ sql: 'DELETE FROM ledger_entry' }])).rejects.toThrow(
      'a ledger entry is never deleted',
    );
  });

  it('keeps the event loop free while it appends', async () => {
    const { ledger, fences } = database;
    const writer = new LedgerWriter({
      port: ledger,
      fence: await takeFence(fences),
      cluster: 'test',
    });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const drafts = Array.from({ length: 200 }, (_, index) => aDecisionDraft({ time: timeAfter(index) }));
    for (let batch = 0; batch < 10; batch += 1) appended(await writer.append({ drafts }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('answers with an error once it is closed', async () => {
    await database.close();
    await expect(database.sql.query({ sql: 'SELECT 1 AS one' })).rejects.toMatchObject({ code: 'Closed' });
  });
});
