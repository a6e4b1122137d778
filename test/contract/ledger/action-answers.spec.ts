import { beforeAll, expect, it } from '@jest/globals';
import { SqlActionAnswers } from '#adapter-sql';
import type { ActionBeginning } from '#ledger';
import { onBothDatabases } from './on-both-databases.ts';

const at = (hour: string, owner = 'ann'): ActionBeginning => ({
  owner,
  now: `2026-11-22T${hour}:00:00.000Z`,
  forgetBefore: '2026-11-22T05:00:00.000Z',
});

onBothDatabases('answers', (opened) => {
  let answers: SqlActionAnswers;
  beforeAll(() => {
    answers = new SqlActionAnswers(opened().sql);
  });

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

  it('are of one of many requests with a key, which begin at once, also beside what is to be forgotten', async () => {
    for (const key of ['gone', 'gone too', 'begun once']) await answers.begin(key, 'long ago', at('04'));
    const begun = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        answers.begin(index % 3 === 0 ? 'gone' : 'begun once', `asked ${index}`, at('12')),
      ),
    );
    for (const isOf of [(index: number) => index % 3 === 0, (index: number) => index % 3 !== 0]) {
      const own = begun.map((answer, index) => ({ answer, index })).filter(({ index }) => isOf(index));
      const [first, ...others] = own.filter(({ answer }) => answer === null);
      expect(others).toEqual([]);
      for (const { answer } of own.filter((each) => each !== first))
        expect(answer).toEqual({ request: `asked ${first?.index ?? -1}`, answer: null });
    }
  });

  it('are of 2,000 requests of one owner at most, of which none is forgotten for a new one, and of others all the same', async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `('b${index}', 'r', '2026-11-22T12', 'ben')`);
    await opened().sql.transaction([
      { sql: `INSERT INTO action_answer (id, request, begun_at, owner) VALUES ${rows.join()}` },
    ]);
    expect(await answers.begin('one more', 'asked', at('12', 'ben'))).toBe('Full');
    expect(await answers.begin('b0', 'asked', at('12', 'ben'))).toEqual({ request: 'r', answer: null });
    expect(await answers.begin('of another', 'asked', at('12', 'eve'))).toBeNull();
    await answers.forget('b7');
    expect(await answers.begin('one more', 'asked', at('12', 'ben'))).toBeNull();
  });

  it('are of 50,000 requests at most, of which none is forgotten for a new one', async () => {
    for (let part = 0; part < 25; part += 1) {
      const rows = Array.from(
        { length: 2_000 },
        (_, index) => `('p${part}-${index}', 'r', '2026-11-22T12', 'p${part}')`,
      );
      await opened().sql.transaction([
        { sql: `INSERT INTO action_answer (id, request, begun_at, owner) VALUES ${rows.join()}` },
      ]);
    }
    expect(await answers.begin('of another still', 'asked', at('12', 'zoe'))).toBe('Full');
    expect(await answers.begin('p0-0', 'asked', at('12', 'zoe'))).toEqual({ request: 'r', answer: null });
  });
});
