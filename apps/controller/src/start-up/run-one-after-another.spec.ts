import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { runOneAfterAnother } from './run-one-after-another.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('applications that are started anew', () => {
  it('are run with what the one before has left, and none is kept but the last', async () => {
    const started: WeakRef<object>[] = [];
    const kept: number[] = [];
    await runOneAfterAnother(
      { number: 0 },
      {
        start: async ({ number }) => {
          await turn();
          collectGarbage();
          kept.push(started.filter((application) => application.deref() !== undefined).length);
          const application = { number, parts: Array.from({ length: 1_000 }, () => ({ number })) };
          started.push(new WeakRef(application));
          return application;
        },
        end: async (application) => {
          await turn();
          return application.number === 9 ? null : { number: application.number + 1 };
        },
      },
    );
    expect(started).toHaveLength(10);
    expect(Math.max(...kept)).toBeLessThanOrEqual(2);
  });
});
