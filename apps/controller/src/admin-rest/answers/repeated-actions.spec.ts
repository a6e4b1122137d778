import { beforeEach, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { AdapterError } from '#kernel';
import type { ActionAnswer, ActionAnswersPort } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { QueryError, type QueryErrorCode } from '../../admin/requests/query-error.ts';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { DeletionTime } from '../../database/deletion-time.ts';
import { RepeatedActions } from './repeated-actions.ts';

const hour = 3_600_000;

let repeated: RepeatedActions;
let clock: FakeClock;
let forgotten: string[];
let databaseTime: number | null;
beforeEach(() => {
  clock = new FakeClock();
  forgotten = [];
  databaseTime = null;
  const begun = new Map<string, { request: string; answer: ActionAnswer | null }>();
  const answers: ActionAnswersPort = {
    begin: (key, request, { forgetBefore }) => {
      forgotten.push(forgetBefore);
      const earlier = begun.get(key) ?? null;
      if (earlier === null) begun.set(key, { request, answer: null });
      return Promise.resolve(earlier);
    },
    finish: (key, answer) => {
      begun.set(key, { request: begun.get(key)?.request ?? '', answer });
      return Promise.resolve();
    },
    forget: (key) => {
      begun.delete(key);
      return Promise.resolve();
    },
  };
  const time = new DeletionTime({ clock, databaseTime: () => Promise.resolve(databaseTime) });
  repeated = new RepeatedActions({ answers, time, clock });
});

const request = {
  method: 'POST',
  url: '/api/v1/reports',
  headers: { 'idempotency-key': 'k-1' },
  body: {},
  principal: { name: 'ann', grants: grantEverywhere('viewer') },
} as unknown as FastifyRequest;

it.each<{ readonly code: QueryErrorCode; readonly carriedOut: number }>([
  { code: 'UnknownPolicy', carriedOut: 1 },
  { code: 'AlreadyInForce', carriedOut: 1 },
  { code: 'TooManyReports', carriedOut: 2 },
  { code: 'SourceBusy', carriedOut: 2 },
])(
  'carries out what was refused with $code $carriedOut times where it is asked for twice',
  async ({ code, carriedOut }) => {
    let count = 0;
    const run = (): Promise<never> => {
      count += 1;
      return Promise.reject(new QueryError(code, 'not now'));
    };
    const ask = () => repeated.answer({ request, run, isSecret: false });
    await expect(ask()).rejects.toMatchObject({ code });
    await ask().catch(() => undefined);
    expect(count).toBe(carriedOut);
  },
);

it('does not carry out again what may have been carried out, since the answer to its COMMIT was lost', async () => {
  let count = 0;
  const run = (): Promise<never> => {
    count += 1;
    return Promise.reject(new AdapterError({ code: 'OutcomeUnknown', message: 'reset', retryable: true }));
  };
  const ask = () => repeated.answer({ request, run, isSecret: false });
  await expect(ask()).rejects.toMatchObject({ code: 'OutcomeUnknown' });
  const detail = expect.stringContaining('look whether it is done, and ask for what is not with a new key');
  await expect(ask()).rejects.toMatchObject({ problem: { status: 409, code: 'OutcomeUnknown', detail } });
  expect(count).toBe(1);
});

it("forgets no answer by a clock that is ahead for a moment, or of the database's", async () => {
  const ask = (key: string) => {
    const headers = { 'idempotency-key': key };
    const run = () => Promise.resolve({ status: 200, body: '{}' });
    return repeated.answer({ request: { ...request, headers }, run, isSecret: false });
  };
  await ask('k-1');
  clock.setBack(-400 * 24 * hour);
  await ask('k-2');
  expect(forgotten).toEqual(['2026-11-19T12:00:00.000Z', '2026-11-19T12:00:00.000Z']);
  clock.advance(6 * hour);
  await ask('k-3');
  expect(forgotten.at(-1)).toBe('2027-12-24T18:00:00.000Z');
  databaseTime = Date.parse('2026-11-20T12:00:00Z');
  await ask('k-4');
  expect(forgotten.at(-1)).toBe('2026-11-19T12:00:00.000Z');
});
