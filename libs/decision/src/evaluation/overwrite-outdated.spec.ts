import { expect, it } from '@jest/globals';
import { parseInstant } from '#kernel';
import { isAfter, isBefore } from './overwrite-outdated.ts';

const moment = parseInstant('2026-11-20T12:00:00Z') ?? { seconds: 0, nanos: 0 };

it.each([
  { time: '2026-11-20T11:59:59.999999999Z', before: true, after: false },
  { time: '2026-11-20T12:00:00Z', before: false, after: false },
  { time: '2026-11-20T12:00:00.000000001Z', before: false, after: true },
  { time: 'never', before: true, after: false },
])('takes $time for before: $before, after: $after', ({ time, before, after }) => {
  expect([isBefore(time, moment), isAfter(time, moment)]).toEqual([before, after]);
});
