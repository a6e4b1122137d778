import { describe, expect, it } from '@jest/globals';
import { RequestRates } from './request-rates.ts';

describe('the rates of requests', () => {
  function someRates() {
    const clock = { now: 0 };
    const rates = new RequestRates({ rates: { perCaller: 2, perAddress: 4 }, now: () => clock.now });
    const admitted = (times: number, key = 'ann'): number =>
      Array.from({ length: times }, () => rates.admits('Caller', key)).filter(Boolean).length;
    return { clock, rates, admitted };
  }

  it('let five seconds’ worth through at once, and then the rate', () => {
    const { clock, admitted } = someRates();
    expect(admitted(50)).toBe(10);
    clock.now += 1_000;
    expect(admitted(50)).toBe(2);
    clock.now += 499;
    expect(admitted(1)).toBe(0);
    clock.now += 1;
    expect(admitted(2)).toBe(1);
    clock.now += 3_600_000;
    expect(admitted(50)).toBe(10);
  });

  it('are of each key and each kind alone, and are counted', () => {
    const { rates, admitted } = someRates();
    expect([admitted(11), admitted(10, 'bo')]).toEqual([10, 10]);
    expect(Array.from({ length: 21 }, () => rates.admits('Address', 'ann')).filter(Boolean)).toHaveLength(20);
    expect(Object.fromEntries(rates.limited)).toEqual({ Caller: 1, Address: 1 });
  });

  it('remember a bounded number of keys', () => {
    const { admitted } = someRates();
    expect(admitted(10)).toBe(10);
    for (let index = 0; index < 10_000; index += 1) admitted(1, `other-${index}`);
    expect(admitted(1)).toBe(1);
  });
});
