import { describe, expect, it } from '@jest/globals';
import { SharedAnswers } from './subscribe.ts';

describe('what many subscribers ask of one event', () => {
  const event = { seq: 1 };

  it.each([
    { name: 'the same of the same event', other: { event, key: 'a' }, want: 1 },
    { name: 'another operation, or another caller', other: { event, key: 'b' }, want: 2 },
    { name: 'the same of another event', other: { event: { seq: 1 }, key: 'a' }, want: 2 },
    { name: 'what is no event of the ledger', other: { event: null, key: 'a' }, want: 2 },
  ])('$name: executed $want times for two of them', async ({ other, want }) => {
    const shared = new SharedAnswers();
    let executed = 0;
    const run = () => Promise.resolve({ data: { number: (executed += 1) } });
    const answers = await Promise.all([shared.of(event, 'a', run), shared.of(other.event, other.key, run)]);
    expect(executed).toBe(want);
    expect(answers.map(({ data }) => data)).toEqual([{ number: 1 }, { number: want }]);
  });
});
