import { expect, it } from '@jest/globals';
import { administrationScope, HeldFences } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { Checkpointer, type CheckpointerOptions } from './checkpointer.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

it('keeps no process from ending where the database answers nothing', async () => {
  const clock = new FakeClock();
  const warnings: unknown[] = [];
  let isPublisherStopped = false;
  const ledger = new InMemoryLedger();
  const options = {
    port: new Proxy({}, { get: () => forever }),
    ledger: new Proxy({}, { get: () => forever }),
    fences: new HeldFences([ledger.fences.takeOver(administrationScope)]),
    publisher: { stop: () => Promise.resolve((isPublisherStopped = true)) },
    clock,
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
  } as unknown as CheckpointerOptions;
  const stopped = new Checkpointer(options).stop();
  clock.advance(2_000);
  await stopped;
  expect(warnings).toEqual([{ reason: 'the last one was not recorded within 2000 ms' }]);
  expect(isPublisherStopped).toBe(true);
});
