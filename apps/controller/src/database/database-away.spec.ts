import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { DatabaseReach } from './database-away.ts';

const start = Date.parse('2026-11-20T12:00:00.000Z');

describe('whether the database is reached', () => {
  let elapsed: number;
  let reach: DatabaseReach;
  beforeEach(() => {
    elapsed = 0;
    reach = new DatabaseReach({
      now: () => new Date(start + elapsed).toISOString(),
      elapsed: () => elapsed,
    });
  });

  const failure = (code: string): AdapterError =>
    new AdapterError({ code, message: `${code} at 10.0.0.5`, retryable: true, system: 'Database' });
  const failing = (code: string) => (): Promise<never> => Promise.reject(failure(code));
  const answered = (): Promise<string> => Promise.resolve('an answer');
  const causeOf = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => null,
      (error: unknown) => error,
    );

  it('is said by the first refusal, since when, until anything is answered', async () => {
    elapsed = 2_000;
    expect(await causeOf(reach.during(failing('ConnectionFailed')))).toMatchObject({
      code: 'ConnectionFailed',
      outage: { since: '2026-11-20T12:00:02.000Z', code: 'ConnectionFailed' },
    });
    elapsed = 9_000;
    await causeOf(reach.during(failing('AccessDenied')));
    expect(reach.outage).toEqual({
      since: '2026-11-20T12:00:02.000Z',
      code: 'AccessDenied',
      message: 'AccessDenied at 10.0.0.5',
    });
    expect(await reach.during(answered)).toBe('an answer');
    expect(reach.outage).toBeNull();
  });

  it.each([
    { name: 'a slow statement', code: 'Timeout' },
    { name: 'a full disk', code: 'DatabaseFull' },
    { name: 'a lock', code: 'Contended' },
  ])('is not doubted for $name', async ({ code }) => {
    expect(await causeOf(reach.ask(failing(code)))).toEqual(failure(code));
    expect(reach.outage).toBeNull();
  });

  it('leaves a lost answer to a commit what it is', async () => {
    await causeOf(reach.during(failing('ConnectionFailed')));
    expect(await causeOf(reach.during(failing('OutcomeUnknown')))).toEqual(failure('OutcomeUnknown'));
  });

  it('is said of one that holds connections open and is silent, before it times out; nobody waits for it then', async () => {
    const silent = Promise.withResolvers<string>();
    const probing = reach.probe(() => silent.promise);
    elapsed = 4_999;
    expect(reach.outage).toBeNull();
    expect(await reach.ask(answered)).toBe('an answer');
    elapsed = 5_000;
    const outage = { since: '2026-11-20T12:00:00.000Z', code: 'Timeout' };
    expect(reach.outage).toMatchObject(outage);
    const asked: string[] = [];
    const ask = (): Promise<unknown> => Promise.resolve(asked.push('a read'));
    expect(await causeOf(reach.ask(ask))).toMatchObject({ code: 'Timeout', retryable: true, outage });
    expect(asked).toEqual([]);
    silent.resolve('an answer');
    await probing;
    expect([reach.outage, await reach.ask(answered)]).toEqual([null, 'an answer']);
  });

  it('is said of one whose brief request has timed out, since that was sent', async () => {
    const probing = causeOf(reach.probe(() => Promise.resolve().then(failing('Timeout'))));
    elapsed = 35_000;
    expect(await probing).toMatchObject({ outage: { since: '2026-11-20T12:00:00.000Z', code: 'Timeout' } });
    expect(reach.outage).toMatchObject({ since: '2026-11-20T12:00:00.000Z' });
  });
});
