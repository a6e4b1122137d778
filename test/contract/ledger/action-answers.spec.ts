import { beforeAll, expect, it } from '@jest/globals';
import { SqlActionAnswers } from '#adapter-sql';
import { onBothDatabases } from './on-both-databases.ts';

const at = (hour: string): { now: string; forgetBefore: string } => ({
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
});
