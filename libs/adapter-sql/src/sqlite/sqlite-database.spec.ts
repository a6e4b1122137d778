import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { err } from '#kernel';
import type { SqlStatement } from '../connection/sql-database.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const scopes = (prefix: string, count: number): SqlStatement => ({
  sql: 'INSERT INTO ledger_epoch (scope, epoch) VALUES (?, ?)',
  rows: Array.from({ length: count }, (_, index) => [`${prefix}/${index}`, 1n]),
});

describe('a transaction of more rows than are sent at once', () => {
  let folder: string;
  let database: SqliteDatabase;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-sqlite-'));
    database = await SqliteDatabase.open(join(folder, 'ledger.db'), {
      timeoutMilliseconds: 60_000,
      givesSpaceBack: false,
    });
  });

  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const count = async (prefix: string): Promise<unknown> => {
    const sql = 'SELECT count(*) AS found FROM ledger_epoch WHERE scope LIKE ?';
    return (await database.query({ sql, parameters: [`${prefix}/%`] }))[0]?.['found'];
  };

  it('is stored whole, with the rows of each statement, whatever comes between its parts', async () => {
    const large = database.transaction([scopes('a', 2_500), scopes('b', 1_700), scopes('c', 1)]);
    const small = database.transaction([scopes('d', 2)]);
    expect((await large).ok && (await small).ok).toBe(true);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(count))).toEqual([2_500n, 1_700n, 1n, 2n]);
  });

  it('lets the loop turn while it is sent', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const sent = database.transaction([scopes('a', 5_000)]);
    const atFirst = turns;
    await sent;
    isOver = true;
    expect({ atFirst, hasTurned: turns >= 5 }).toEqual({ atFirst: 0, hasTurned: true });
  });

  it('is stored once where its rows were sent before it was asked for', async () => {
    const [first, second] = [[scopes('a', 2_500)], [scopes('b', 1_700), scopes('c', 1_200)]];
    database.prepare(first);
    const stored = database.transaction(first);
    database.prepare(second);
    expect((await stored).ok && (await database.transaction(second)).ok).toBe(true);
    expect(await Promise.all(['a', 'b', 'c'].map(count))).toEqual([2_500n, 1_700n, 1_200n]);
  });

  it('is not stored where it was prepared and not asked for, and hinders no other', async () => {
    const [dropped, replaced, stored] = [[scopes('a', 1_500)], [scopes('b', 1_500)], [scopes('c', 1_500)]];
    database.prepare(dropped);
    database.prepare(replaced);
    expect((await database.transaction(stored)).ok && (await database.transaction(replaced)).ok).toBe(true);
    expect(await Promise.all(['a', 'b', 'c'].map(count))).toEqual([0n, 1_500n, 1_500n]);
    const again = [{ ...scopes('c', 1_500), expect: { count: 1, otherwise: 'No' } }];
    database.prepare(again);
    await expect(database.transaction(again)).rejects.toMatchObject({ code: 'ConstraintViolated' });
    expect(await count('c')).toBe(1_500n);
  });

  it('is refused whole', async () => {
    const refused = { ...scopes('b', 1_500), expect: { count: 1, otherwise: 'No' } };
    expect(await database.transaction([scopes('a', 2_500), refused])).toEqual(err({ code: 'No' }));
    expect(await count('a')).toBe(0n);
  });
});

describe('a file that is open', () => {
  let folder: string;
  let place: string;
  let database: SqliteDatabase;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-sqlite-'));
    place = join(folder, 'place');
    await mkdir(place);
    const options = { timeoutMilliseconds: 60_000, givesSpaceBack: false };
    database = await SqliteDatabase.open(join(place, 'ledger.db'), options);
    await database.transaction([scopes('a', 1)]);
    await database.transaction([scopes('b', 1)]);
  });

  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const away = (): string => join(folder, 'away');
  it.each([
    { name: 'moved with its folder', lose: () => rename(place, away()) },
    {
      name: 'replaced by a copy',
      lose: async () => {
        await rename(place, away());
        await cp(away(), place, { recursive: true });
      },
      putBack: () => rm(place, { recursive: true }),
    },
    { name: 'without its write-ahead log', lose: () => rename(`${place}/ledger.db-wal`, away()), log: true },
  ])('takes nothing while it is $name, and goes on where it is put back', async ({ lose, putBack, log }) => {
    await lose();
    await expect(database.transaction([scopes('c', 1)])).rejects.toMatchObject({
      code: 'FileGone',
      retryable: true,
      message: expect.stringMatching(/ledger\.db\S* is not the file that was opened/),
    });
    await putBack?.();
    await rename(away(), log === true ? `${place}/ledger.db-wal` : place);
    await expect(database.transaction([scopes('c', 1)])).resolves.toMatchObject({ ok: true });
  });
});
