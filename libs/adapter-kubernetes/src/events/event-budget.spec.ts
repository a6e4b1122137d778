import { describe, expect, it } from '@jest/globals';
import { FakeTiming } from '../time/timing.fake.ts';
import { EventBudget } from './event-budget.ts';

describe('EventBudget', () => {
  it('gives 25 at once, then one in five minutes, to each object its own', () => {
    const timing = new FakeTiming();
    const budget = new EventBudget(timing);
    const taken = Array.from({ length: 30 }, () => budget.take('a')).filter(Boolean);
    expect(taken).toHaveLength(25);
    expect(budget.take('b')).toBe(true);
    timing.advance(299_999);
    expect(budget.take('a')).toBe(false);
    timing.advance(1);
    expect(budget.take('a')).toBe(true);
    expect(budget.take('a')).toBe(false);
  });

  it('never saves up more than 25', () => {
    const timing = new FakeTiming();
    const budget = new EventBudget(timing);
    budget.take('a');
    timing.advance(100 * 60 * 60_000);
    expect(Array.from({ length: 30 }, () => budget.take('a')).filter(Boolean)).toHaveLength(25);
  });
});
