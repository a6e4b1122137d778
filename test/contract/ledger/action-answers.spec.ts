import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase, SqlActionAnswers } from '#adapter-sql';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';

let folder: string;
let server: TestPostgres;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-answers-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const at = (hour: string): { now: string; forgetBefore: string } => ({
  now: `2026-11-22T${hour}:00:00.000Z`,
  forgetBefore: '2026-11-22T05:00:00.000Z',
});

describe.each([
  { name: 'SQLite', urlOf: () => Promise.resolve(`sqlite:${join(folder, 'ledger.db')}`) },
  { name: 'PostgreSQL', urlOf: () => server.createDatabase('answers') },
])('answers in $name', ({ urlOf }) => {
  let database: LedgerDatabase;
  let answers: SqlActionAnswers;
  beforeAll(async () => {
    database = await openLedgerDatabase({ url: await urlOf() });
    answers = new SqlActionAnswers(database.sql);
  });
  afterAll(() => database.close());

  it('are those of the first request, until they are forgotten', async () => {
    expect(await answers.begin('k', 'asked', at('12'))).toBeNull();
    expect(await answers.begin('k', 'other', at('12'))).toEqual({ request: 'asked', answer: null });
    await answers.finish('k', { status: 201, body: '{}' });
    expect(await answers.begin('k', 'asked', at('13'))).toEqual({
      request: 'asked',
      answer: { status: 201, body: '{}' },
    });
    await answers.finish('k', { status: 200, body: null });
    expect(await answers.begin('k', 'asked', at('13'))).toEqual({
      request: 'asked',
      answer: { status: 200, body: null },
    });
    await answers.forget('k');
    expect(await answers.begin('k', 'later', at('13'))).toBeNull();
  });

  it('are forgotten by age', async () => {
    expect(await answers.begin('old', 'asked', at('04'))).toBeNull();
    expect(await answers.begin('new', 'asked', at('12'))).toBeNull();
    expect(await answers.begin('old', 'asked', at('12'))).toBeNull();
    expect(await answers.begin('new', 'asked', at('12'))).toMatchObject({ request: 'asked' });
  });
});
