import { beforeEach, describe, expect, it } from '@jest/globals';
import { ok } from '#kernel';
import type { SqlDatabase } from './sql-database.ts';
import { type SlowStatement, timedDatabase } from './timed-database.ts';

let now = 0;
let takes = 0;
let slow: SlowStatement[] = [];

const database: SqlDatabase = {
  dialect: 'sqlite',
  query: () => {
    now += takes;
    return takes === 666 ? Promise.reject(new Error('disk I/O error')) : Promise.resolve([]);
  },
  transaction: () => {
    now += takes;
    return Promise.resolve(ok([]));
  },
};

beforeEach(() => {
  now = 0;
  slow = [];
});

function timed(): SqlDatabase {
  return timedDatabase(
    database,
    (statement) => slow.push(statement),
    () => now,
  );
}

describe('a timed database', () => {
  it('reports what takes 250 ms and more, without its parameters', async () => {
    takes = 249;
    await timed().query({ sql: 'SELECT 1' });
    takes = 250;
    await timed().query({ sql: 'SELECT *\n  FROM token WHERE hash = ?', parameters: ['secret'] });
    await timed().transaction([
      { sql: `INSERT INTO entry VALUES (${'?, '.repeat(200)}?)`, rows: [] },
      { sql: 'UPDATE stream_head SET seq = ?' },
    ]);
    expect(slow).toEqual([
      { sql: 'SELECT * FROM token WHERE hash = ?', statements: 1, milliseconds: 250 },
      { sql: expect.stringMatching(/^INSERT INTO entry .{141}…$/), statements: 2, milliseconds: 250 },
    ]);
  });

  it('reports a slow query that fails, and lets it fail', async () => {
    takes = 666;
    await expect(timed().query({ sql: 'SELECT 1' })).rejects.toThrow('disk I/O error');
    expect(slow).toMatchObject([{ sql: 'SELECT 1', milliseconds: 666 }]);
  });
});
