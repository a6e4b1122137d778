import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { AdapterError } from '#kernel';
import { type EntryQuery, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { expectReversible } from '../../../../test/contract/ledger/schema.ts';
import {
  expectNoWayBackFromFormat2,
  expectPayloadsAsText,
  expectUpgrade,
  type UpgradedDatabase,
  upgradedDatabase,
} from '../../../../test/contract/ledger/upgrades.ts';
import { soon } from '../../../../test/e2e/support/soon.ts';
import { aDecisionDraft } from '../../../../test/support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { parseDatabaseUrl, type PostgresLocation } from '../connection/database-url.ts';
import { loopClock } from '../connection/loop-clock.ts';
import type { SqlQuery } from '../connection/sql-database.ts';
import { placesStatement } from '../entries/entry-statement.ts';
import { expiredPlaces } from '../entries/expired-places.ts';
import { type LedgerDatabase, openLedgerDatabase } from '../open-ledger-database.ts';
import { SqlEntryTail } from '../stores/sql-entry-tail.ts';
import { advisoryLock, postgresDataSource } from './migrate-postgres.ts';
import { redactor } from './postgres-error.ts';

let server: TestPostgres;
let database: LedgerDatabase;

beforeAll(async () => {
  server = await startPostgres();
  database = await openLedgerDatabase({ url: await server.createDatabase('plimsoll') });
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

function locationOf(url: string): PostgresLocation {
  const location = parseDatabaseUrl(url);
  if (location.dialect !== 'postgres') throw new Error('not PostgreSQL');
  return location.postgres;
}

async function aDatabase(name: string): Promise<UpgradedDatabase> {
  return upgradedDatabase(await server.createDatabase(name));
}

describe('a PostgreSQL database', () => {
  // The others are those of `test/exhaustive`.
  it('keeps what the first schema holds when it is upgraded', async () => {
    await expectUpgrade(await aDatabase('first'), 1);
  });

  it('lets no stream go back from format 2', async () => {
    await expectNoWayBackFromFormat2(await aDatabase('back'));
  });

  it('has every payload as text again when it goes back from compressed ones', async () => {
    await expectPayloadsAsText(await aDatabase('unpacked'));
  });

  it('is migrated up and down, and has what the entities map', async () => {
    await expectReversible(postgresDataSource(locationOf(await server.createDatabase('reversible'))));
  });

  it('is migrated once by processes that start together', async () => {
    const url = await server.createDatabase('together');
    const opened = await Promise.all([1, 2, 3].map(() => openLedgerDatabase({ url })));
    for (const { ledger, close } of opened) {
      expect(await ledger.listHeads({ limit: 1 })).toEqual([]);
      await close();
    }
  });

  it('is opened while another session keeps the lock of migrations, which is waited for only where one is to be run', async () => {
    const url = await server.createDatabase('locked');
    const stranger = new pg.Client({ connectionString: url });
    await stranger.connect();
    await stranger.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    const { rows } = await stranger.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const keeper = `the session with process id ${rows[0]?.pid} of the database user`;
    await expect(openLedgerDatabase({ url })).rejects.toMatchObject({
      code: 'Contended',
      retryable: true,
      message: expect.stringContaining(keeper),
    });
    await stranger.query('SELECT pg_advisory_unlock($1)', [advisoryLock]);
    await (await openLedgerDatabase({ url })).close();
    await stranger.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    const opened = await openLedgerDatabase({ url });
    expect(await opened.ledger.listHeads({ limit: 1 })).toEqual([]);
    await opened.close();
    await stranger.end();
  });

  describe('under a role that does not own the tables', () => {
    let url: string;
    let owner: pg.Client;
    let asGuest: string;
    beforeAll(async () => {
      url = await server.createDatabase('owned');
      owner = new pg.Client({ connectionString: url });
      await owner.connect();
      await owner.query(`CREATE ROLE guest LOGIN PASSWORD 'guest'`);
      await owner.query('GRANT CONNECT ON DATABASE owned TO guest');
      asGuest = `postgres://guest:guest@${server.host}:${server.port}/owned`;
    });
    afterAll(() => owner.end());

    it('says that nothing is there before the owner has migrated', async () => {
      await owner.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      await expect(openLedgerDatabase({ url: asGuest })).rejects.toMatchObject({
        code: 'MigrationFailed',
        retryable: false,
        message:
          'no table of Plimsoll is there, or none that may be used, and the database user guest may not migrate: plimsoll migrate up --database runs migrations as the owner of the tables, before the start (docs/postgresql.md#roles)',
      });
    });

    it('says that the grants are missing', async () => {
      await (await openLedgerDatabase({ url })).close();
      await expect(openLedgerDatabase({ url: asGuest })).rejects.toMatchObject({
        code: 'AccessDenied',
        message:
          'PostgreSQL: permission denied for table migration: the database user guest has not been given its grants yet (docs/postgresql.md#roles)',
      });
    });

    it('says how many migrations are pending and who runs them, and prints nothing of its own', async () => {
      await owner.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest');
      const source = await postgresDataSource(locationOf(url)).initialize();
      await source.undoLastMigration();
      await source.undoLastMigration();
      await source.destroy();
      const printed: unknown[] = [];
      const printers = (['log', 'info', 'warn', 'error'] as const).map((name) =>
        jest.spyOn(console, name).mockImplementation((...words) => void printed.push(words)),
      );
      await expect(openLedgerDatabase({ url: asGuest })).rejects.toMatchObject({
        code: 'MigrationFailed',
        message: expect.stringMatching(
          /^2 migrations are pending, and the database user guest may not migrate: plimsoll migrate up --database /,
        ),
      });
      for (const printer of printers) printer.mockRestore();
      expect(printed).toEqual([]);
    });
  });

  it('takes every text, integer and null of many rows as it is', async () => {
    const texts = [
      '',
      'null',
      'NULL',
      '{}',
      '{"a":"\\n\\\\"}',
      'a,b',
      ' größer 😀 ',
      "'",
      '\\',
      '"',
      '\u2028',
      '?',
    ];
    const rows = [...texts, null, 'two\nlines\t', '\u001f'].map((text, index) => [
      BigInt(index),
      text,
      index === 1 ? null : BigInt(index) - 2n ** 63n,
    ]);
    const sql =
      'SELECT * FROM unnest(?::bigint[], ?::text[], ?::bigint[]) AS given (place, text, number) ORDER BY place';
    for (const given of [rows.slice(0, texts.length + 1), rows]) {
      const written = await database.sql.transaction([{ sql, rows: given }]);
      expect(written.ok && written.value[0]?.rows.map((row) => Object.values(row))).toEqual(given);
    }
  });

  it('takes any texts side by side as they are, but those with NUL, which it refuses as a whole', async () => {
    const pieces = [
      '"',
      '\\',
      "'",
      '{',
      '}',
      ',',
      ' ',
      'NULL',
      'null',
      '\n',
      '\u001f',
      '\u2028',
      '\ufeff',
      '?',
      '$1',
    ];
    const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' }));
    const text = fc.option(fc.array(piece, { maxLength: 6 }).map((some) => some.join('')));
    const texts = fc.array(text, { minLength: 1, maxLength: 20 });
    const sql = 'SELECT text FROM unnest(?::bigint[], ?::text[]) AS given (place, text) ORDER BY place';
    const stored = async (given: readonly (string | null)[]): Promise<readonly unknown[]> => {
      const rows = given.map((value, index) => [BigInt(index), value]);
      const written = await database.sql.transaction([{ sql, rows }]);
      return written.ok ? (written.value[0]?.rows.map((row) => row['text']) ?? []) : [];
    };
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        expect(await stored(given)).toEqual(given);
        await expect(stored([...given, 'a\u0000b'])).rejects.toThrow(AdapterError);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the password out of every error', async () => {
    const { host, port, user, password } = server;
    const encoded = encodeURIComponent(password);
    const wrong = [
      `postgres://${user}:${encoded}x@${host}:${port}/plimsoll`,
      `postgres://${user}:${encoded}@${host}:${port}/none`,
      `postgres://${user}:${encoded}@${host}:1/plimsoll`,
    ];
    const codes: unknown[] = [];
    for (const url of wrong) {
      const error: unknown = await openLedgerDatabase({ url }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: 'AdapterError' });
      codes.push(Reflect.get(error as object, 'code'));
      const shown = inspect(error, { depth: 10, showHidden: true });
      for (const form of [password, encoded]) expect(shown).not.toContain(form);
    }
    expect(codes).toEqual(['AccessDenied', 'AccessDenied', 'ConnectionFailed']);
  });

  it('rolls everything back when a statement changes another number of rows than expected', async () => {
    const { sql } = database;
    const insert = 'INSERT INTO ledger_epoch (scope, epoch) SELECT * FROM unnest(?::text[], ?::bigint[])';
    const add = {
      sql: insert,
      rows: [
        ['a', 1n],
        ['b', 2n ** 63n - 1n],
      ],
    };
    const change = {
      sql: 'UPDATE ledger_epoch SET epoch = 2 WHERE scope = ?',
      parameters: ['c'],
      expect: { count: 1, otherwise: 'Nope' },
    };
    const read = { sql: 'SELECT scope, epoch FROM ledger_epoch ORDER BY scope' };
    expect(await sql.transaction([add, change])).toEqual({ ok: false, error: { code: 'Nope' } });
    await expect(sql.transaction([add, { sql: 'no sql' }])).rejects.toMatchObject({ code: 'QueryFailed' });
    expect(await sql.query(read)).toEqual([]);
    expect(await sql.transaction([add])).toMatchObject({ ok: true });
    expect(await sql.query(read)).toEqual([
      { scope: 'a', epoch: 1n },
      { scope: 'b', epoch: 2n ** 63n - 1n },
    ]);
    await expect(sql.transaction([add])).rejects.toMatchObject({ code: 'ConstraintViolated' });
  });

  it('never changes or deletes an entry', async () => {
    const columns =
      'format, stream_id, seq, cluster, kind, time, time_nanoseconds, payload, previous_hash, hash';
    await database.sql.transaction([
      { sql: `INSERT INTO ledger_entry (${columns}) VALUES (2, 1, 1, '', '', '', 0, '', '', '')` },
    ]);
    await expect(
      database.sql.transaction([{ sql: "UPDATE ledger_entry SET action = 'None'" }]),
    ).rejects.toThrow('a ledger entry is never changed');
    for (const text of ['DELETE FROM ledger_entry', 'TRUNCATE ledger_entry']) {
      await expect(database.sql.transaction([{ sql: text }])).rejects.toThrow(
        'a ledger entry is never deleted',
      );
    }
  });

  it('refuses more rows than a query may return, and goes on', async () => {
    const { sql } = database;
    const tooMany = { sql: 'SELECT generate_series(1, 10001) AS number' };
    for (let round = 0; round < 10; round += 1)
      await expect(sql.query(tooMany)).rejects.toMatchObject({ code: 'TooManyRows', retryable: false });
    expect(await sql.query({ sql: 'SELECT 1::int AS one' })).toEqual([{ one: 1n }]);
  });

  it('tells of what is stored, and again once a connection that broke is there anew', async () => {
    const heard: string[] = [];
    const watch = database.watchChanges?.({
      onChange: (part) => heard.push(part),
      onOutage: () => heard.push('outage'),
      onReturn: () => heard.push('return'),
    });
    const notify = { sql: `SELECT pg_notify('plimsoll_changes', ?)` };
    const store = (part: string) => database.sql.transaction([{ ...notify, parameters: [part] }]);
    const hear = (part: string) =>
      soon(part, async () => {
        await store(part);
        return heard.includes(part) || undefined;
      });
    await hear('Sources');
    await database.sql.query({
      sql: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    });
    await hear('Tokens');
    await store('nothing that is known');
    await watch?.close();
    expect([...new Set(heard)]).toEqual(['Sources', 'outage', 'return', 'Tokens']);
  });

  it('lists what is appended by its place, with places that are taken late', async () => {
    const own = await openLedgerDatabase({ url: await server.createDatabase('tail') });
    const tail = new SqlEntryTail(own.sql);
    expect(await tail.newest()).toBe(0n);
    const writer = new LedgerWriter({
      port: own.ledger,
      fence: await takeFence(own.fences),
      cluster: 'test',
      clock: loopClock,
    });
    const drafts = ['a', 'b', 'c'].map((name) => aDecisionDraft({ policy: { namespace: 'shop', name } }));
    await writer.append({ drafts });
    const newest = await tail.newest();
    const listed = async (after: bigint, missing: readonly bigint[]) =>
      (await tail.after(after, missing)).map(({ stream, kind }) => `${kind} ${stream}`);
    expect(await listed(0n, [])).toEqual(['a', 'b', 'c'].map((name) => `Decision policy:shop/${name}`));
    expect(await listed(newest - 1n, [newest - 2n, newest + 9n])).toEqual([
      'Decision policy:shop/a',
      'Decision policy:shop/c',
    ]);
    await own.close();
  });

  it('gives up on a query in time, and goes on', async () => {
    const { host, port, user, password } = server;
    const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/plimsoll`;
    const impatient = await openLedgerDatabase({ url, timeoutMilliseconds: 50 });
    await expect(impatient.sql.query({ sql: 'SELECT pg_sleep(30)' })).rejects.toMatchObject({
      code: 'Timeout',
      retryable: true,
    });
    expect(await impatient.sql.query({ sql: 'SELECT 1::int AS one' })).toEqual([{ one: 1n }]);
    await impatient.close();
  });

  describe('all of whose connections are in use', () => {
    const held = [{ scope: 'held', epoch: 1n, holder: 'a' }];
    let busy: LedgerDatabase;
    let busyUrl: string;
    let inUse: readonly Promise<unknown>[];

    beforeAll(async () => {
      busyUrl = await server.createDatabase('busy');
      busy = await openLedgerDatabase({ url: busyUrl });
      expect(await busy.fences.take(['held'], 'a')).toEqual({ ok: true, value: held });
      // More than there are: the others wait for one.
      inUse = Array.from({ length: 20 }, () =>
        busy.sql.query({ sql: 'SELECT pg_sleep(60)' }).catch(() => undefined),
      );
    });
    afterAll(async () => {
      const cancel = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'`;
      let hasEnded = false;
      const ended = Promise.all(inUse).then(() => (hasEnded = true));
      await soon('the reads end', async () => {
        await database.sql.query({ sql: cancel });
        return hasEnded || undefined;
      });
      await ended;
      await busy.close();
    });

    it('takes, renews and gives up scopes at once', async () => {
      const { fences } = busy;
      expect(await fences.renew(held)).toEqual({ ok: true, value: undefined });
      const taken = await fences.take(['other'], 'a');
      expect(taken).toEqual({ ok: true, value: [{ scope: 'other', epoch: 1n, holder: 'a' }] });
      await fences.giveUp(taken.ok ? taken.value : []);
      expect(await fences.look(['other'])).toMatchObject([{ scope: 'other', epoch: 1n, holder: null }]);
    });

    it('renews scopes while takes wait for transactions of those that hold others', async () => {
      const { fences } = busy;
      const scopes = ['one', 'two', 'three'];
      await fences.take(scopes, 'standing still');
      const holder = new pg.Client({ connectionString: busyUrl });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT scope FROM ledger_epoch FOR KEY SHARE');
      const takes = scopes.map((scope) => fences.take([scope], 'a'));
      expect(await fences.renew(held)).toEqual({ ok: true, value: undefined });
      await holder.query('ROLLBACK');
      await holder.end();
      for (const take of takes) expect(await take).toEqual({ ok: false, error: { code: 'ScopeHeld' } });
    });
  });
});

describe('redactor', () => {
  it('strips a password in each form', () => {
    const redact = redactor('p@ss w');
    expect(redact('a p@ss w b p%40ss%20w c p@ss%20w')).toBe('a … b … c …');
    expect(redact('at postgres://bob:other@db/a')).toBe('at postgres://…@db/a');
    expect(redactor(undefined)('as it is')).toBe('as it is');
  });
});

describe('pages of entries on PostgreSQL', () => {
  const after = { timeNanoseconds: 2n, position: 5n };
  const page = { kinds: ['Decision'], order: 'NewestFirst', limit: 100, from: 1n, until: 3n, after } as const;
  const streams = { namespaces: [1n], streams: [1n, 2n] };

  /** What each index is searched by, but for the time. An empty table would be read as a whole. */
  async function searchesOf({ sql, parameters = [] }: SqlQuery): Promise<readonly string[]> {
    const explained = await database.sql.transaction([
      { sql: 'SET LOCAL enable_seqscan = off' },
      { sql: 'SET LOCAL enable_bitmapscan = off' },
      { sql: `EXPLAIN ${sql}`, parameters },
    ]);
    const lines = explained.ok ? explained.value.at(-1)!.rows.map((row) => String(row['QUERY PLAN'])) : [];
    return lines.flatMap((line, index) => {
      if (!/Scan.* on ledger_entry/.test(line)) return [];
      const terms = lines[index + 1]?.match(/\((\w+) = /g) ?? [];
      const kind = /Index Only/.test(line) ? 'index only' : 'rows';
      return [`${kind}: ${terms.map((term) => term.slice(1, -3)).join(', ')}`];
    });
  }

  it.each<{ name: string; given: Partial<EntryQuery>; source?: typeof streams; want: readonly string[] }>([
    { name: 'decisions', given: {}, want: ['index only: action'] },
    { name: 'an action', given: { action: 'Hold' }, want: ['index only: action'] },
    { name: 'decisions of a stream', given: { stream: 'sync' }, want: ['index only: stream_id'] },
    {
      name: 'an action of a stream',
      given: { stream: 'sync', action: 'Hold' },
      want: ['index only: stream_id'],
    },
    { name: 'decisions of a commit', given: { commit: 'a1' }, want: ['index only: commit_id'] },
    {
      name: 'kinds of a namespace',
      given: { kinds: ['Decision', 'ScalingEvent', 'DecisionRun'] },
      source: streams,
      want: ['index only: namespace_id, kind', 'index only: stream_id, kind', 'index only: stream_id'],
    },
    { name: 'another kind', given: { kinds: ['ScalingEvent'] }, want: ['index only: kind'] },
    {
      name: 'another kind of a stream',
      given: { kinds: ['ScalingEvent'], stream: 'sync' },
      want: ['index only: stream_id, kind'],
    },
    {
      name: 'another kind of a commit',
      given: { kinds: ['ScalingEvent'], commit: 'a1' },
      want: ['index only: commit_id, kind'],
    },
  ])('read $name from ranges of one index each', async ({ given, source = {}, want }) => {
    for (const order of ['NewestFirst', 'OldestFirst'] as const) {
      const places = placesStatement({ ...page, ...given, order }, { dialect: 'postgres', ...source });
      expect(await searchesOf(places)).toEqual(want);
    }
  });

  it.each([
    { kind: 'Decision', content: 'Observation', want: 'rows: action' },
    { kind: 'Decision', content: 'Payload', want: 'rows: action' },
    { kind: 'ScalingEvent', content: 'Payload', want: 'rows: kind' },
  ] as const)('finds what has expired of $kind by an index ($content)', async ({ want, ...rule }) => {
    const expired = expiredPlaces('postgres', { ...rule, beforeNanoseconds: 3n }, { after, limit: 100 });
    expect(new Set(await searchesOf(expired))).toEqual(new Set([want]));
  });
});
