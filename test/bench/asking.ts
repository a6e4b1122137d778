import { setTimeout } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';
import { testToken } from '../e2e/support/controller-process.ts';
import { usageOf } from './sweep/process-usage.ts';

/** Of one caller, below what may be under way at a time. */
export const connections = 8;
const measuredMilliseconds = 10_000;
/** Until the compiler of queries and V8 have done their work; of what is slow not so many. */
const warmUps = 2_000;
const warmUpMilliseconds = 5_000;

/** The request of each time, by its number. */
export type AskedRequest = (index: number) => Pick<Dispatcher.RequestOptions, 'path' | 'method' | 'body'>;

/** Asks one question over and over, with the number of each time. */
export type Ask = (index: number) => Promise<void>;

export function askerOf(pool: Pool, request: AskedRequest): Ask {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}` };
  return async (index) => {
    const answer = await pool.request({ ...request(index), headers });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 500));
  };
}

/** How fast something was answered. */
export interface Rate {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Nanoseconds: number;
}

/** The same, and what one core would do: it counts all threads of the process that is asked. */
export interface CpuRate extends Rate {
  readonly perCpuSecond: number;
}

/** As fast as a process that is asked by this one answers. */
export async function measureFastest(
  ask: Ask,
  pid: number,
  milliseconds = measuredMilliseconds,
): Promise<CpuRate> {
  const started = performance.now();
  for (let index = 0; index < warmUps && performance.now() - started < warmUpMilliseconds; index += 1)
    await ask(index);
  const before = await usageOf(pid);
  const fastest = await rateOf(ask, { milliseconds });
  const after = await usageOf(pid);
  return {
    ...fastest,
    perCpuSecond: Math.round(fastest.requests / (after.cpuSeconds - before.cpuSeconds)),
  };
}

/** As many at a time as there are connections, each after the one before it; not more than so many per second. */
export async function rateOf(
  ask: (index: number) => Promise<unknown>,
  {
    maximumPerSecond = Number.POSITIVE_INFINITY,
    milliseconds = measuredMilliseconds,
  }: { readonly maximumPerSecond?: number; readonly milliseconds?: number } = {},
): Promise<Rate> {
  const taken: number[] = [];
  const started = performance.now();
  let index = 0;
  const follow = async (): Promise<void> => {
    while (performance.now() - started < milliseconds) {
      index += 1;
      const due = started + (index * 1_000) / maximumPerSecond;
      if (due > performance.now() + 1) await setTimeout(due - performance.now());
      // What was due before counts from then on: a queue in front of the server is part of what a caller waits for.
      const before = Number.isFinite(maximumPerSecond) ? due : performance.now();
      await ask(index);
      taken.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: connections }, follow));
  const seconds = (performance.now() - started) / 1_000;
  const slowest = taken.toSorted((left, right) => left - right)[Math.floor(taken.length * 0.99)] ?? 0;
  return {
    requests: taken.length,
    perSecond: Math.round(taken.length / seconds),
    p99Nanoseconds: Math.round(slowest * 1e6),
  };
}
