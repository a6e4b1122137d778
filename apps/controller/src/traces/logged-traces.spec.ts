import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { type Span, untraced } from '#reconciliation';
import { LoggedTraces } from './logged-traces.ts';

let lines: Record<string, unknown>[] = [];
let now = 0;

function aLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
}

function logged(level = 'debug'): LoggedTraces {
  return new LoggedTraces(untraced, aLogger(level), () => now);
}

/** A pass that observes for 3 ms, twice, and decides for 1 ms. */
async function aPass(span: Span): Promise<string> {
  const observe = (): Promise<void> => {
    now += 3;
    return Promise.resolve();
  };
  await span.step('observe', observe);
  await span.step('observe', observe);
  span.setAttributes({ 'plimsoll.reason': 'Unchanged' });
  return span.compute('decide', () => {
    now += 1;
    return 'done';
  });
}

beforeEach(() => {
  lines = [];
  now = 5_000;
});

describe('the debug lines of passes and syncs', () => {
  it('say what was done, how it came out, and what each step took', async () => {
    expect(await logged().trace('pass', { 'plimsoll.policy.name': 'web' }, aPass)).toBe('done');
    expect(lines).toEqual([
      {
        level: 20,
        'plimsoll.policy.name': 'web',
        'plimsoll.reason': 'Unchanged',
        milliseconds: 7,
        steps: { observe: 6, decide: 1 },
        msg: 'pass',
      },
    ]);
  });

  it('are written of work that fails, too', async () => {
    const failing = logged().trace('sync', { 'plimsoll.source': 'policies' }, (span) =>
      span.step('fetch', () => Promise.reject(new Error('down'))),
    );
    await expect(failing).rejects.toThrow('down');
    expect(lines).toMatchObject([{ 'plimsoll.source': 'policies', steps: { fetch: 0 }, msg: 'sync' }]);
  });

  it('are not written, and nothing is measured, on another level', async () => {
    expect(await logged('info').trace('pass', {}, aPass)).toBe('done');
    expect(lines).toEqual([]);
  });

  it('are at most 100 per second, and the next says how many were left out', async () => {
    const traces = logged();
    for (let pass = 0; pass < 130; pass += 1) await traces.trace('pass', {}, () => Promise.resolve());
    expect(lines).toHaveLength(100);
    now += 1_000;
    await traces.trace('pass', {}, () => Promise.resolve());
    expect(lines.slice(100)).toMatchObject([{ leftOut: 30 }, { msg: 'pass' }]);
  });
});
