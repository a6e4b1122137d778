import { describe, expect, it } from '@jest/globals';
import { spanIn, type SpanStep, stepSpan, withSpan } from './chart-span.ts';

const times = { kind: 'Times', from: '2026-11-23T03:00:00.000Z', until: '2026-11-23T04:00:00.000Z' } as const;

describe('the span that an address names', () => {
  it.each([
    { given: '', want: { kind: 'Usual', hours: 1 } },
    { given: 'hours=0.25', want: { kind: 'Hours', hours: 0.25 } },
    { given: 'hours=5', want: { kind: 'Usual', hours: 1 } },
    { given: 'from=2026-11-23T03:00:00Z&until=2026-11-23T05:00:00%2B01:00', want: times },
    { given: 'from=2026-11-23T03:00:00Z', want: { kind: 'Usual', hours: 1 } },
    { given: 'from=soon&until=later&hours=24', want: { kind: 'Hours', hours: 24 } },
    { given: 'from=2026-11-23T03:00:00Z&until=2026-11-23T02:00:00Z', want: { kind: 'Usual', hours: 1 } },
  ])('$given is $want', ({ given, want }) => {
    expect(spanIn(new URLSearchParams(given))).toEqual(want);
  });

  it('takes the place of the one before, and leaves what else is there', () => {
    const before = new URLSearchParams('a=b&hours=6');
    const zoomed = withSpan(before, times);
    expect(Object.fromEntries(zoomed)).toEqual({ a: 'b', from: times.from, until: times.until });
    expect(withSpan(zoomed, { kind: 'Hours', hours: 24 }).toString()).toBe('a=b&hours=24');
    expect(withSpan(zoomed, { kind: 'Usual', hours: 1 }).toString()).toBe('a=b');
  });
});

describe('a step', () => {
  const at = (text: string): number => Date.parse(`2026-11-23T${text}Z`);
  const hour = { from: at('03:00:00'), until: at('04:00:00') };
  it.each<{ step: SpanStep; now: string; from: string; until: string }>([
    { step: 'Earlier', now: '09:00:00', from: '02:30:00', until: '03:30:00' },
    { step: 'Later', now: '09:00:00', from: '03:30:00', until: '04:30:00' },
    { step: 'Later', now: '04:10:00', from: '03:10:00', until: '04:10:00' },
    { step: 'Closer', now: '09:00:00', from: '03:15:00', until: '03:45:00' },
    { step: 'Further', now: '09:00:00', from: '02:30:00', until: '04:30:00' },
    { step: 'Further', now: '04:00:00', from: '02:00:00', until: '04:00:00' },
  ])('$step at $now is $from to $until', ({ step, now, from, until }) => {
    expect(stepSpan(hour, step, at(now))).toEqual({
      kind: 'Times',
      from: new Date(at(from)).toISOString(),
      until: new Date(at(until)).toISOString(),
    });
  });

  it('is no closer than a minute, and no further than the API reads', () => {
    const minute = { from: at('03:00:00'), until: at('03:01:00') };
    expect(stepSpan(minute, 'Closer', at('09:00:00'))).toMatchObject({ from: '2026-11-23T03:00:00.000Z' });
    const month = { from: at('03:00:00') - 30 * 86_400_000, until: at('03:00:00') };
    expect(stepSpan(month, 'Further', at('03:00:00'))).toMatchObject({ from: '2026-10-23T03:00:00.000Z' });
  });
});
