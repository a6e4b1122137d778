import { expect, it } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { AdapterError } from '#kernel';
import { administrationScope, HeldFences, type RetentionPort } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { DeletionTime } from '../database/deletion-time.ts';
import { Retention } from './retention.ts';

const minute = 60_000;

it('is failing from when nothing could be deleted until something could, and is tried again every ten minutes', async () => {
  const clock = new FakeClock();
  let failure: AdapterError | null = new AdapterError({
    code: 'AccessDenied',
    message: 'password authentication failed for user "retention" at 10.0.0.7',
    retryable: false,
  });
  let runs = 0;
  const port = {
    segmentsAnnouncedBefore: () => Promise.resolve([]),
    hasExpired: () => {
      runs += 1;
      return failure === null ? Promise.resolve(false) : Promise.reject(failure);
    },
    findSegments: () => Promise.resolve({ segments: [], after: null }),
    dropPeriods: () => Promise.resolve(0),
  } as Partial<RetentionPort> as RetentionPort;
  const retention = new Retention({
    configuration: configurationSchema.parse({
      cluster: { name: 'test' },
      mode: 'Observe',
      namespaces: ['*'],
      sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
      retention: { payloadDays: 400 },
    }),
    port,
    partitions: { makeAhead: () => Promise.resolve() },
    time: new DeletionTime({ clock, databaseTime: () => Promise.resolve(null) }),
    writer: { append: () => Promise.resolve({ ok: true, value: [] }) },
    fences: new HeldFences([await new InMemoryLedger().takeOver(administrationScope)]),
    clock,
    logger: { info: () => undefined, warn: () => undefined },
  });
  const runAfter = async (minutes: number): Promise<void> => {
    clock.advance(minutes * minute);
    await retention.whenDone;
  };
  retention.start();
  expect(retention.failing).toBeNull();
  await runAfter(1);
  const since = clock.now();
  const message =
    'what has expired in the ledger cannot be deleted: it refuses the user that deletes (that of database.retentionUrl, where it is set)';
  expect(retention.failing).toEqual({ since, message });
  await runAfter(10);
  expect([runs, retention.failing]).toEqual([2, { since, message }]);
  failure = null;
  await runAfter(10);
  expect(retention.failing).toBeNull();
  const tried = runs;
  await runAfter(359);
  expect(runs).toBe(tried);
  await retention.stop();
});
