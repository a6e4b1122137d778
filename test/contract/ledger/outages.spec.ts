import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openLedgerDatabase } from '#adapter-sql';
import {
  ChangeRecorder,
  type ChangeRecorderOptions,
  type Recorded,
  recordedChanges,
} from '../../support/change-recorder.ts';
import { mountDisk, startPostgres, type TestPostgres } from '../../support/postgres.ts';

let folder = '';
let recorder: ChangeRecorder | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-outage-'));
  recorder = null;
});

afterEach(async () => {
  await recorder?.close();
  await rm(folder, { recursive: true });
});

async function start(url: string, more: Partial<ChangeRecorderOptions> = {}): Promise<ChangeRecorder> {
  const journal = join(folder, 'outage-journal');
  recorder = await ChangeRecorder.open({ url, journal, ...more });
  return recorder;
}

/** Records changes of these numbers, one after the other. */
async function record(from: number, to: number): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (let number = from; number <= to; number += 1) recorded.push(await recorder!.record(number));
  return recorded;
}

/** Replays until everything is in the ledger; a database that comes up takes a few attempts. */
async function recover(): Promise<void> {
  for (let attempt = 0; recorder!.journal.isInUse && attempt < 100; attempt += 1) await recorder!.replay();
  expect(recorder!.journal.isInUse).toBe(false);
  expect(recorder!.journal.since).toBeNull();
}

async function changesIn(url: string): Promise<readonly number[]> {
  await recorder?.close();
  recorder = null;
  const database = await openLedgerDatabase({ url });
  try {
    return await recordedChanges(database.ledger);
  } finally {
    await database.close();
  }
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe('a SQLite file', () => {
  const url = (): string => `sqlite:${join(folder, 'ledger.db')}`;

  it('on a disk that is full: the journal has room, and the ledger takes it when there is room again', async () => {
    const isMounted = mountDisk(folder, 16);
    // Only root may mount; for others the disk is never full, and everything is stored at once.
    try {
      await start(url(), { padding: 'x'.repeat(50_000) });
      expect(await record(1, 2)).toEqual(['Stored', 'Stored']);
      if (isMounted) await fill(join(folder, 'filler'));
      expect(new Set(await record(3, 60))).toContain(isMounted ? 'Journaled' : 'Stored');
      expect(recorder!.journal.refusing).toBeNull();
      await rm(join(folder, 'filler'), { force: true });
      await recover();
      expect(await record(61, 61)).toEqual(['Stored']);
      expect(await changesIn(url())).toEqual(upTo(61));
    } finally {
      await recorder?.close();
      recorder = null;
      if (isMounted) spawnSync('umount', [folder]);
    }
  }, 60_000);

  it('that another program has locked: the journal keeps what is decided until it lets go', async () => {
    await start(url());
    await record(1, 1);
    const other = new Database(join(folder, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await record(2, 4)).toEqual(['Journaled', 'Journaled', 'Journaled']);
    other.exec('ROLLBACK');
    other.close();
    await recover();
    expect(await changesIn(url())).toEqual(upTo(4));
  }, 60_000);

  it('on a file system that becomes read-only: the journal keeps what is decided until it takes writes', async () => {
    const data = join(folder, 'data');
    await mkdir(data);
    const place = `sqlite:${join(data, 'ledger.db')}`;
    await start(place);
    expect(await record(1, 2)).toEqual(['Stored', 'Stored']);
    const isReadOnly = await makeReadOnly(data);
    try {
      expect(new Set(await record(3, 5))).toEqual(new Set([isReadOnly ? 'Journaled' : 'Stored']));
      await recorder!.replay();
      expect(recorder!.journal.isInUse).toBe(isReadOnly);
      // SQLite would end the process here (SIGBUS), since a page of its shared memory cannot be written.
      if (isReadOnly) {
        const refused = { code: 'ReadOnly', message: expect.stringContaining('takes no writes') };
        await expect(recorder!.sql.query({ sql: 'SELECT 1' })).rejects.toMatchObject(refused);
        await expect(openLedgerDatabase({ url: `sqlite:${join(data, 'other.db')}` })).rejects.toMatchObject({
          code: 'ReadOnly',
        });
      }
    } finally {
      await makeWritable(data);
    }
    await recover();
    expect(await record(6, 6)).toEqual(['Stored']);
    expect(await changesIn(place)).toEqual(upTo(6));
  }, 60_000);

  it('beside its journal, on a file system that becomes read-only: what is lost is said until it takes writes', async () => {
    await start(url());
    await record(1, 2);
    const isReadOnly = await makeReadOnly(folder);
    try {
      const { journal } = recorder!;
      if (isReadOnly) {
        expect(await record(3, 4)).toEqual(['Refused', 'Refused']);
        await recorder!.replay();
        expect([journal.since, journal.refusing?.since]).toEqual([expect.any(String), expect.any(String)]);
        expect(journal.counts).toEqual({ records: 0, bytes: 0, refusals: 2 });
      }
    } finally {
      await makeWritable(folder);
    }
    if (isReadOnly) await recorder!.replay();
    expect([recorder!.journal.since, recorder!.journal.refusing]).toEqual([null, null]);
    // What was refused is derived again, and recorded then.
    expect(await record(3, 5)).toEqual(['Stored', 'Stored', 'Stored']);
    expect(await changesIn(url())).toEqual(upTo(5));
  }, 60_000);

  it('whose log cannot be written (SQLITE_IOERR): the journal keeps what is decided', async () => {
    await start(url());
    await record(1, 2);
    const log = join(folder, 'ledger.db-wal');
    const isReadOnly = setImmutable('+i', [log]);
    try {
      expect(new Set(await record(3, 5))).toEqual(new Set([isReadOnly ? 'Journaled' : 'Stored']));
    } finally {
      setImmutable('-i', [log]);
    }
    await recover();
    expect(await changesIn(url())).toEqual(upTo(5));
  }, 60_000);

  it('that takes no writes (SQLITE_READONLY): the journal keeps what is decided', async () => {
    await start(url());
    await record(1, 1);
    await recorder!.sql.transaction([{ sql: 'PRAGMA query_only = ON' }]);
    expect(new Set(await record(2, 4))).toEqual(new Set(['Journaled']));
    const write = { sql: 'DELETE FROM sync_source' };
    await expect(recorder!.sql.transaction([write])).rejects.toMatchObject({
      code: 'ReadOnly',
      message: expect.stringContaining('SQLITE_READONLY'),
    });
    await recorder!.close();
    await start(url());
    expect(await changesIn(url())).toEqual(upTo(4));
  }, 60_000);

  it('that is corrupt is named with what to do, is not written to again, and the journal goes on', async () => {
    await start(url());
    await record(1, 2);
    await recorder!.close();
    await damage(join(folder, 'ledger.db'), 'stream_head');
    await start(url());
    expect(await record(3, 4)).toEqual(['Journaled', 'Journaled']);
    await recorder!.replay();
    expect(recorder!.journal.isInUse).toBe(true);
    const database = new Database(join(folder, 'ledger.db'), { readonly: true });
    expect(database.prepare('SELECT COUNT(*) FROM ledger_entry').pluck().get()).toBe(2);
    database.close();
    await recorder!.close();
    recorder = null;
    const opened = await openLedgerDatabase({ url: url() });
    const insert = { sql: "INSERT INTO stream_head (stream, seq, hash) VALUES ('a', 1, 'b')" };
    const error: unknown = await opened.sql.transaction([insert]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'DatabaseCorrupt' });
    expect(String(error)).toContain(`${join(folder, 'ledger.db')} is corrupt (SQLITE_CORRUPT`);
    expect(String(error)).toContain('restore a backup (plimsoll restore)');
    const harmless = { sql: 'DELETE FROM sync_source' };
    await expect(opened.sql.transaction([harmless])).rejects.toBe(error);
    await opened.close();
  });
});

/**
 * A folder whose files take no writes any more, also through what is open, as after an error of the disk; false where this
 * user may not, or the file system cannot.
 */
async function makeReadOnly(path: string): Promise<boolean> {
  const names = await readdir(path);
  return setImmutable('+i', [...names.map((name) => join(path, name)), path]);
}

async function makeWritable(path: string): Promise<void> {
  const names = await readdir(path);
  setImmutable('-i', [path, ...names.map((name) => join(path, name))]);
}

function setImmutable(flag: '+i' | '-i', paths: readonly string[]): boolean {
  return spawnSync('chattr', [flag, ...paths]).status === 0;
}

/** Writes a file until the disk has no room for another byte. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1_000_000, 4_096]) {
      const block = Buffer.alloc(size);
      for (let isFull = false; !isFull;) {
        isFull = await file.write(block).then(
          ({ bytesWritten }) => bytesWritten < size,
          () => true,
        );
      }
    }
  } finally {
    await file.close();
  }
}

/** Overwrites the first page of a table. */
async function damage(path: string, table: string): Promise<void> {
  const database = new Database(path);
  const page = database
    .prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table) as number;
  const size = database.pragma('page_size', { simple: true }) as number;
  database.close();
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  await file.close();
}

describe('a PostgreSQL server', () => {
  let server: TestPostgres;
  let databases = 0;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  it('that crashes in the middle of appends and starts again loses nothing, and has nothing twice', async () => {
    const url = await server.createDatabase(`outage-${(databases += 1)}`);
    await start(url, { timeoutMilliseconds: 1_000 });
    const recording = record(1, 300);
    await server.crash();
    await server.restart();
    const recorded = await recording;
    expect(recorded).not.toContain('Refused');
    await recover();
    expect(await changesIn(url)).toEqual(upTo(300));
  }, 60_000);

  it('that is gone for a while: the journal keeps what is decided', async () => {
    const url = await server.createDatabase(`outage-${(databases += 1)}`);
    await start(url, { timeoutMilliseconds: 1_000 });
    await record(1, 3);
    await server.crash();
    expect(new Set(await record(4, 50))).toEqual(new Set(['Journaled']));
    await recorder!.replay();
    expect(recorder!.journal.counts.records).toBe(47);
    await server.restart();
    await recover();
    expect(await record(51, 52)).toEqual(['Stored', 'Stored']);
    expect(await changesIn(url)).toEqual(upTo(52));
  }, 60_000);

  it('that stops answering in the middle of appends, and goes on, stores nothing twice', async () => {
    const url = await server.createDatabase(`outage-${(databases += 1)}`);
    await start(url, { timeoutMilliseconds: 1_000 });
    await record(1, 3);
    const recording = record(4, 40);
    server.pause();
    try {
      // The first append fails when it has waited for its time; what comes then goes to the journal.
      while (recorder!.journal.counts.records < 10) await nextTurn();
    } finally {
      server.resume();
    }
    expect(await recording).toContain('Journaled');
    await recover();
    expect(await changesIn(url)).toEqual(upTo(40));
  }, 60_000);

  it('that takes only reads: the journal keeps what is decided', async () => {
    const url = await server.createDatabase(`outage-${(databases += 1)}`);
    await start(url, { timeoutMilliseconds: 1_000 });
    await record(1, 2);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`ALTER DATABASE "outage-${databases}" SET default_transaction_read_only = on`);
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    expect(new Set(await record(3, 6))).toEqual(new Set(['Journaled']));
    await admin.query(`ALTER DATABASE "outage-${databases}" RESET default_transaction_read_only`);
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    await admin.end();
    await recover();
    expect(await changesIn(url)).toEqual(upTo(6));
  }, 60_000);
});

describe('a PostgreSQL server on a disk that is full', () => {
  it('keeps no change, the journal does, and the ledger takes it when there is room again', async () => {
    const server = await startPostgres({ diskMegabytes: 192 });
    try {
      const url = await server.createDatabase('full');
      // The server would compress what repeats itself.
      const padding = randomBytes(25_000).toString('hex');
      await start(url, { timeoutMilliseconds: 5_000, padding });
      expect(await record(1, 2)).toEqual(['Stored', 'Stored']);
      if (server.disk !== null) await fill(join(server.disk, 'filler'));
      expect(new Set(await record(3, 40))).toContain(server.disk === null ? 'Stored' : 'Journaled');
      if (server.disk !== null) await rm(join(server.disk, 'filler'));
      await recover();
      expect(await record(41, 41)).toEqual(['Stored']);
      expect(await changesIn(url)).toEqual(upTo(41));
    } finally {
      await recorder?.close();
      recorder = null;
      await server.stop();
    }
  }, 120_000);
});
