import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LedgerWriter, policyStream, sha256Hex, verifyStream } from '#ledger';
import { takeFence } from '#ledger/testing';
import { expectRestored } from '../../../../test/contract/ledger/restored-schemas.ts';
import {
  earlierSchemas,
  fillEarlierSchema,
  upgradedDatabase,
} from '../../../../test/contract/ledger/upgrades.ts';
import { soon } from '../../../../test/e2e/support/soon.ts';
import {
  aDecisionDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  aState,
  checkout,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { knownMigrations } from '../connection/known-migrations.ts';
import { type LedgerDatabase, openLedgerDatabase } from '../open-ledger-database.ts';
import { backUpDatabase } from './back-up-database.ts';
import { migrateDatabase, type Migrating, readMigrations } from './migrate-database.ts';
import { readBackup } from './read-backup.ts';
import { restoreDatabase } from './restore-database.ts';

let folder = '';
let postgres: TestPostgres;
let names = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-maintenance-'));
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

const fresh = {
  SQLite: () => Promise.resolve(`sqlite:${join(folder, `ledger-${(names += 1)}.db`)}`),
  PostgreSQL: () => postgres.createDatabase(`maintenance-${(names += 1)}`),
};

type Dialect = keyof typeof fresh;

const dialects = ['SQLite', 'PostgreSQL'] as const;

const stream = policyStream(checkout);

/** A database with something in most of its tables, and how to append more. */
async function aLedger(
  url: string,
): Promise<{ readonly database: LedgerDatabase; readonly append: (seconds: number) => Promise<void> }> {
  const database = await openLedgerDatabase({ url });
  const writer = new LedgerWriter({
    port: database.ledger,
    fence: await takeFence(database.fences),
    cluster: 'test',
  });
  const drafts = [aDecisionDraft(), aDecisionDraft({ time: timeAfter(1), reason: 'größer \u0000' })];
  appended(
    await writer.append({ drafts: [...drafts, anIntentDraft({}, timeAfter(2))], states: [aState(checkout)] }),
  );
  return {
    database,
    append: async (seconds) => {
      appended(await writer.append({ drafts: [anEventDraft({}, timeAfter(seconds))] }));
    },
  };
}

const nothing = (): void => undefined;
const backup = (): string => join(folder, `backup-${(names += 1)}`);

async function backUp(url: string): Promise<string> {
  const file = backup();
  await backUpDatabase({ url, file, madeAt: timeAfter(9), onRows: nothing });
  return file;
}

/** Everything that a database says through the ports. */
async function everything({ ledger }: LedgerDatabase): Promise<object> {
  const entries = await ledger.streamEntries({ stream, after: 0n, limit: 100 });
  const [head] = await ledger.heads([stream]);
  expect(verifyStream(entries, head!, sha256Hex)).toMatchObject({ ok: true });
  return {
    entries,
    intents: await ledger.pendingIntents({ limit: 10 }),
    states: await ledger.policyStates(await ledger.recordedPolicies({ limit: 10 })),
  };
}

describe.each(dialects.flatMap((from) => dialects.map((to) => ({ from, to }))))(
  'a backup of $from, restored into $to',
  ({ from, to }: Record<'from' | 'to', Dialect>) => {
    it('holds everything, as of one moment, and goes on', async () => {
      const source = await fresh[from]();
      const { database, append } = await aLedger(source);
      const before = await everything(database);
      const file = backup();
      let hasAppended: Promise<void> | undefined;
      await backUpDatabase({
        url: source,
        file,
        madeAt: timeAfter(9),
        // Another table is being read; what is appended now is of a later moment.
        onRows: () => {
          hasAppended ??= append(10);
        },
      });
      await hasAppended;
      await database.close();
      const startedAt = BigInt(Math.floor(Date.now() / 1_000));
      const target = await fresh[to]();
      const header = await restoreDatabase({ url: target, file, onRows: nothing });
      expect(header).toMatchObject({ madeAt: timeAfter(9), migrations: knownMigrations() });
      const restored = await openLedgerDatabase({ url: target });
      expect(await everything(restored)).toEqual(before);
      const fence = await takeFence(restored.fences);
      expect(fence.epoch).toBeGreaterThan(startedAt);
      const writer = new LedgerWriter({ port: restored.ledger, fence, cluster: 'test' });
      appended(await writer.append({ drafts: [anEventDraft({ intent: `${stream}#3` }, timeAfter(11))] }));
      await expect(restored.sql.transaction([{ sql: 'DELETE FROM ledger_entry' }])).rejects.toThrow(
        'a ledger entry is never deleted',
      );
      await restored.close();
    });
  },
);

/** The first and the last; `test/exhaustive` has all of them. */
const restoredSchemas = [earlierSchemas[0]!, earlierSchemas.at(-1)!];

describe.each(dialects)('backup and restore on %s', (dialect) => {
  it.each(restoredSchemas)('keep what the schema of $name holds', async ({ count }) => {
    await expectRestored({ from: await fresh[dialect](), to: await fresh[dialect](), file: backup() }, count);
  });

  it('leave what is there as it is', async () => {
    const url = await fresh[dialect]();
    const { database } = await aLedger(url);
    await database.close();
    const file = await backUp(url);
    await expect(backUpDatabase({ url, file, madeAt: timeAfter(9), onRows: nothing })).rejects.toMatchObject({
      code: 'EEXIST',
    });
    await expect(restoreDatabase({ url, file, onRows: nothing })).rejects.toMatchObject({
      code: 'DatabaseNotEmpty',
    });
  });

  it('refuse a backup that is truncated, changed, or none, and leave the database empty', async () => {
    const url = await fresh[dialect]();
    const { database } = await aLedger(url);
    await database.close();
    const whole = await readFile(await backUp(url));
    const text = zstdDecompressSync(whole).toString();
    const lines = text.split('\n');
    const packed = (content: string): Buffer => zstdCompressSync(content);
    const bad: readonly Buffer[] = [
      Buffer.alloc(0),
      Buffer.from('SQLite format 3\0'),
      whole.subarray(0, whole.length - 1),
      whole.subarray(0, whole.length / 2),
      packed(lines.slice(0, -2).join('\n')),
      packed(lines.toSpliced(4, 1).join('\n')),
      packed(text.replace('"madeAt":"2026', '"madeAt":"2027')),
      packed(text.replace('"backupFormat":1', '"backupFormat":2')),
      packed(`${text}[]\n`),
      packed('{"something":"else"}\n'),
      packed('not JSON\n'),
      packed('{"backupFormat":1}\n'),
      packed('{"backupFormat":1,"madeAt":"","dialect":"sqlite","migrations":[1]}\n'),
      packed(`${lines[0]}\n{"table":"stream_head","columns":5}\n["1"]\n`),
      packed(`${lines[0]}\n{"table":"stream_head","columns":[null]}\n["1"]\n`),
    ];
    const target = await fresh[dialect]();
    for (const content of bad) {
      const file = backup();
      await writeFile(file, content);
      await expect(restoreDatabase({ url: target, file, onRows: nothing })).rejects.toMatchObject({
        code: 'BackupUnusable',
      });
    }
    if (target.startsWith('sqlite:')) expect(existsSync(target.slice('sqlite:'.length))).toBe(false);
    await restoreDatabase({ url: target, file: await backUp(url), onRows: nothing });
  }, 120_000);

  it('hold no more of a line than the longest that there may be', async () => {
    const file = backup();
    await writeFile(file, zstdCompressSync(Buffer.alloc(1_000_000)));
    const reading = async (): Promise<void> => {
      for await (const part of readBackup(file, 100_000)) expect(part.kind).toBe('Header');
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'BackupUnusable',
      message: 'a line of the backup has more than 100000 bytes',
    });
  });

  it('refuse a backup of a newer release', async () => {
    const url = await fresh[dialect]();
    const { database } = await aLedger(url);
    await database.close();
    const text = zstdDecompressSync(await readFile(await backUp(url))).toString();
    const file = backup();
    await writeFile(file, zstdCompressSync(text.replace('"migrations":[', '"migrations":["Later1",')));
    await expect(
      restoreDatabase({ url: await fresh[dialect](), file, onRows: nothing }),
    ).rejects.toMatchObject({ code: 'NewerSchema', message: expect.stringContaining('Later1') });
  });
});

describe.each(dialects)('migrate on %s', (dialect) => {
  const up: Migrating = { direction: 'Up', steps: 1, isDryRun: false, onBegin: nothing };

  async function statesOf(url: string): Promise<readonly string[]> {
    return (await readMigrations(url)).map(({ state }) => state);
  }

  it('runs what is pending, and undoes the last, or rehearses either', async () => {
    const database = upgradedDatabase(await fresh[dialect]());
    await fillEarlierSchema(database, knownMigrations().length - 2);
    const { url } = database;
    const last = knownMigrations().slice(-2);
    const begun: string[] = [];
    const rehearsal = { ...up, isDryRun: true, onBegin: (name: string) => begun.push(name) };
    expect(await migrateDatabase(url, rehearsal)).toEqual(last);
    expect(begun).toEqual(last);
    expect((await statesOf(url)).slice(-2)).toEqual(['Pending', 'Pending']);
    expect(await migrateDatabase(url, up)).toEqual(last);
    expect(new Set(await statesOf(url))).toEqual(new Set(['Applied']));
    expect(await migrateDatabase(url, up)).toEqual([]);
    const down: Migrating = { ...up, direction: 'Down' };
    expect(await migrateDatabase(url, { ...down, isDryRun: true })).toEqual(last.slice(1));
    expect(await migrateDatabase(url, { ...down, steps: 2 })).toEqual(last.toReversed());
    expect((await statesOf(url)).slice(-3)).toEqual(['Applied', 'Pending', 'Pending']);
  });

  it('touches no schema of a newer release', async () => {
    const database = upgradedDatabase(await fresh[dialect]());
    await fillEarlierSchema(database, 1);
    const source = database.source();
    await source.initialize();
    await source.query(`INSERT INTO migration (timestamp, name) VALUES (9, 'Later9')`);
    await source.destroy();
    expect((await statesOf(database.url)).at(-1)).toBe('Unknown');
    for (const direction of ['Up', 'Down'] as const) {
      await expect(migrateDatabase(database.url, { ...up, direction })).rejects.toMatchObject({
        code: 'NewerSchema',
        message: expect.stringContaining('Later9'),
      });
    }
  });

  it('undoes nothing while a controller works with the database', async () => {
    const url = await fresh[dialect]();
    const { database } = await aLedger(url);
    await expect(migrateDatabase(url, { ...up, direction: 'Down' })).rejects.toMatchObject({
      code: 'DatabaseLocked',
    });
    await database.close();
  });
});

it('a restore names the session of PostgreSQL that keeps a table locked, and since when, and leaves the database empty', async () => {
  const [url, from] = [await fresh.PostgreSQL(), await fresh.PostgreSQL()];
  const { database } = await aLedger(from);
  await database.close();
  const file = await backUp(from);
  await (await openLedgerDatabase({ url })).close();
  const session = new pg.Client({ connectionString: url, application_name: 'a forgotten psql' });
  await session.connect();
  const { rows } = await session.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  await session.query('BEGIN');
  await session.query('LOCK TABLE policy_state IN ROW EXCLUSIVE MODE');
  const pid = String(rows[0]?.pid);
  await expect(restoreDatabase({ url, file, onRows: nothing, lockWaitSeconds: 0.2 })).rejects.toMatchObject({
    code: 'DatabaseLocked',
    message: expect.stringMatching(
      `the table policy_state is locked by the session ${pid} of PostgreSQL .a forgotten psql., which is idle in transaction, in a transaction since 20.*Z: end it`,
    ),
  });
  await session.end();
  await restoreDatabase({ url, file, onRows: nothing });
});

it('a restore deletes nothing of a controller that begins to work with the PostgreSQL database meanwhile', async () => {
  const [url, from] = [await fresh.PostgreSQL(), await fresh.PostgreSQL()];
  const { database } = await aLedger(from);
  await database.close();
  const file = await backUp(from);
  const working = await openLedgerDatabase({ url });
  const controller = new pg.Client({ connectionString: url });
  await controller.connect();
  await controller.query('BEGIN');
  await controller.query("INSERT INTO ledger_epoch (scope, epoch) VALUES ('shard/0', 1)");
  const restored = restoreDatabase({ url, file, onRows: nothing });
  restored.catch(() => undefined);
  await soon('the restore waits', async () => {
    const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted';
    return (await controller.query(waiting)).rows.length > 0 || undefined;
  });
  await controller.query('COMMIT');
  await controller.end();
  await expect(restored).rejects.toMatchObject({ code: 'DatabaseNotEmpty' });
  expect(await working.fences.look(['shard/0'])).toMatchObject([{ epoch: 1n }]);
  await working.close();
});

describe('a database that cannot be had', () => {
  it.each(['sqlite:', 'mysql://db/plimsoll', 'sqlite:/nowhere/ledger.db'])('%s is said', async (url) => {
    const code = url === 'sqlite:/nowhere/ledger.db' ? 'ConnectionFailed' : 'InvalidDatabaseUrl';
    await expect(readMigrations(url)).rejects.toMatchObject({ code });
    await expect(
      backUpDatabase({ url, file: backup(), madeAt: timeAfter(0), onRows: nothing }),
    ).rejects.toMatchObject({ code });
  });

  it('leaves no part of a backup behind', async () => {
    const file = join(folder, 'empty.db');
    await writeFile(file, '');
    await expect(
      backUpDatabase({ url: `sqlite:${file}`, file: backup(), madeAt: timeAfter(0), onRows: nothing }),
    ).rejects.toMatchObject({ code: 'NotMigrated' });
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});
