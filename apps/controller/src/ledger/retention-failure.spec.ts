import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { AdapterError } from '#kernel';
import {
  administrationScope,
  type ChainedEntry,
  type DraftOf,
  HeldFences,
  type RetentionPort,
  timeNanoseconds,
} from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { DeletionTime } from '../database/deletion-time.ts';
import { Retention } from './retention.ts';

const minute = 60_000;
const noPeriods = (): AsyncIterable<number> => Readable.from([]);

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
    dropPeriods: noPeriods,
  } as Partial<RetentionPort> as RetentionPort;
  const retention = await aRetention(clock, port);
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

it.each(['deleteContent', 'deleteSegments'] as const)(
  'records once what is to be deleted, however often %s fails',
  async (failing) => {
    const clock = new FakeClock();
    let isAllowed = false;
    let segments = [{ stream: 'policy:shop/checkout', seq: 3n, hash: 'a'.repeat(64) }];
    const done = <T>(what: typeof failing, value: T): Promise<T> => {
      const refusal = new AdapterError({ code: 'AccessDenied', message: 'no right', retryable: false });
      return what === failing && !isAllowed ? Promise.reject(refusal) : Promise.resolve(value);
    };
    const port = {
      segmentsAnnouncedBefore: () => Promise.resolve([]),
      hasExpired: ({ kind }) => Promise.resolve(kind === 'Decision' && failing === 'deleteContent'),
      saveRules: () => Promise.resolve(),
      deleteContent: () => done('deleteContent', { deleted: 1, damaged: [], after: null }),
      findSegments: () => Promise.resolve({ segments, after: null }),
      deleteSegments: async () => {
        const count = await done('deleteSegments', 3);
        segments = [];
        return count;
      },
      dropPeriods: noPeriods,
    } as Partial<RetentionPort> as RetentionPort;
    const announced: unknown[] = [];
    const retention = await aRetention(clock, port, (drafts) =>
      announced.push(...drafts.filter(({ payload }) => 'deleted' in payload && payload.deleted === null)),
    );
    retention.start();
    for (const minutes of [1, 10, 10, 10]) {
      clock.advance(minutes * minute);
      await retention.whenDone;
    }
    expect(announced).toHaveLength(1);
    isAllowed = true;
    clock.advance(10 * minute);
    await retention.whenDone;
    expect([retention.failing, announced.length]).toEqual([null, failing === 'deleteContent' ? 2 : 1]);
    await retention.stop();
  },
);

it('goes on by the rules of the day where an attempt deleted everything and was not answered', async () => {
  const clock = new FakeClock();
  const asked: bigint[] = [];
  let isLeft = true;
  const port = {
    segmentsAnnouncedBefore: () => Promise.resolve([]),
    hasExpired: ({ kind, beforeNanoseconds }) => {
      if (kind === 'Decision') asked.push(beforeNanoseconds);
      return Promise.resolve(kind === 'Decision' && isLeft);
    },
    saveRules: () => Promise.resolve(),
    deleteContent: () => {
      isLeft = false;
      const lost = new AdapterError({ code: 'ConnectionFailed', message: 'no answer', retryable: true });
      return Promise.reject(lost);
    },
    findSegments: () => Promise.resolve({ segments: [], after: null }),
    dropPeriods: noPeriods,
  } as Partial<RetentionPort> as RetentionPort;
  const retention = await aRetention(clock, port);
  retention.start();
  for (const minutes of [1, 10, 360]) {
    clock.advance(minutes * minute);
    await retention.whenDone;
  }
  const [first = 0n, again = 0n, next = 0n] = asked;
  expect([again - first, next - again]).toEqual([0n, 370n * 60_000_000_000n]);
  await retention.stop();
});

async function aRetention(
  clock: FakeClock,
  port: RetentionPort,
  onAppend: (drafts: readonly DraftOf<'RetentionRun'>[]) => void = () => undefined,
): Promise<Retention> {
  return new Retention({
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
    writer: {
      append: ({ drafts }) => {
        onAppend(drafts.filter((draft) => draft.kind === 'RetentionRun'));
        const entry = { timeNanoseconds: timeNanoseconds(clock.now()) } as ChainedEntry;
        return Promise.resolve({ ok: true, value: [entry] });
      },
    },
    fences: new HeldFences([await new InMemoryLedger().takeOver(administrationScope)]),
    clock,
    logger: { info: () => undefined, warn: () => undefined },
  });
}
