import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReviewedAccess, ReviewedUser } from '#adapter-kubernetes';
import { KubernetesAuthenticator } from './kubernetes-authenticator.ts';

const ann: ReviewedUser = { username: 'ann', uid: '1', groups: ['dev'], extra: {} };

describe('a token of the cluster', () => {
  let allowed: ReadonlySet<string>;
  let asked: string[];
  let now: number;
  let answer: (token: string) => Promise<ReviewedUser | null>;
  let authenticator: KubernetesAuthenticator;
  let waits: (() => void)[];
  const pass = (): void => {
    for (const end of waits.splice(0)) end();
  };
  beforeEach(() => {
    waits = [];
    allowed = new Set();
    asked = [];
    now = 0;
    answer = (token) => Promise.resolve(token === 'good' ? ann : null);
    authenticator = new KubernetesAuthenticator({
      reviews: {
        userOf: (token) => {
          asked.push(token);
          return answer(token);
        },
        isAllowed: (_user, { verb, namespace }: ReviewedAccess) =>
          Promise.resolve(allowed.has(`${verb} ${namespace ?? '*'}`)),
      },
      audiences: [],
      namespaces: () => ['shop', 'pay', 'shop'],
      now: () => now,
      wait: () => new Promise((resolve) => void waits.push(resolve)),
    });
  });

  it.each([
    { name: 'nothing', verbs: [], want: [] },
    {
      name: 'all, everywhere',
      verbs: ['get *', 'operate *', 'approve *', 'administer *'],
      want: [{ role: 'admin', namespaces: ['*'] }],
    },
    {
      name: 'one role everywhere and more in one namespace',
      verbs: ['get *', 'get shop', 'operate shop', 'approve shop', 'get pay'],
      want: [
        { role: 'viewer', namespaces: ['*'] },
        { role: 'approver', namespaces: ['shop'] },
      ],
    },
    { name: 'to operate, and not to get', verbs: ['operate shop', 'administer shop'], want: [] },
    { name: 'one namespace', verbs: ['get pay'], want: [{ role: 'viewer', namespaces: ['pay'] }] },
  ])('may do what the verbs say: $name', async ({ verbs, want }) => {
    allowed = new Set(verbs);
    expect(await authenticator.authenticate('good')).toEqual({ name: 'kubernetes:ann', grants: want });
  });

  it('is asked about once a minute, and once in ten seconds where it was refused', async () => {
    for (const token of ['good', 'good', 'bad', 'bad']) await authenticator.authenticate(token);
    expect(asked).toEqual(['good', 'bad']);
    now = 10_000;
    for (const token of ['good', 'bad']) await authenticator.authenticate(token);
    expect(asked).toEqual(['good', 'bad', 'bad']);
    now = 60_000;
    await authenticator.authenticate('good');
    expect(asked).toEqual(['good', 'bad', 'bad', 'good']);
  });

  it('is refused where the API server does not answer', async () => {
    answer = () => Promise.reject(new Error('away'));
    expect(await authenticator.authenticate('good')).toBeUndefined();
  });

  /** Guesses that the API server does not answer until they are ended. */
  const guess = (count: number): { readonly ended: Promise<unknown>; readonly end: () => void } => {
    const gate = Promise.withResolvers<undefined>();
    answer = (token) => gate.promise.then(() => (token === 'good' ? ann : null));
    const guesses = Array.from({ length: count }, (_, index) =>
      authenticator.authenticate(`guess ${index}`).catch(() => undefined),
    );
    return { ended: Promise.all(guesses), end: () => gate.resolve(undefined) };
  };

  it('waits while eight others are asked about, and is then', async () => {
    const guesses = guess(8);
    const waiting = authenticator.authenticate('good');
    await setImmediate();
    expect(asked).toHaveLength(8);
    guesses.end();
    await expect(waiting).resolves.toMatchObject({ name: 'kubernetes:ann' });
  });

  it('is not said to be wrong where it was not asked about within two seconds', async () => {
    const guesses = guess(8);
    const waiting = authenticator.authenticate('good');
    await setImmediate();
    pass();
    await expect(waiting).rejects.toMatchObject({ problem: { status: 503, code: 'Unavailable' } });
    guesses.end();
    await guesses.ended;
    expect(asked).not.toContain('good');
    await expect(authenticator.authenticate('good')).resolves.toMatchObject({ name: 'kubernetes:ann' });
  });

  it('waits with 64 others at most, and goes before those that were never accepted', async () => {
    await authenticator.authenticate('good');
    now = 60_000;
    const guesses = guess(8 + 64);
    await expect(authenticator.authenticate('one more')).rejects.toMatchObject({ problem: { status: 503 } });
    const known = authenticator.authenticate('good');
    await setImmediate();
    guesses.end();
    await expect(known).resolves.toMatchObject({ name: 'kubernetes:ann' });
    await guesses.ended;
    expect(asked.indexOf('good', 1)).toBe(9);
    expect(asked).toHaveLength(1 + 8 + 1 + 63);
  });

  it('is remembered, however many others are refused', async () => {
    await authenticator.authenticate('good');
    for (let index = 0; index < 2_000; index += 1) await authenticator.authenticate(`guess ${index}`);
    asked = [];
    await expect(authenticator.authenticate('good')).resolves.toMatchObject({ name: 'kubernetes:ann' });
    expect(asked).toEqual([]);
  });

  it('is asked about for a suspect only where it was accepted before', async () => {
    await authenticator.authenticate('good');
    now = 60_000;
    const suspect = { isSuspect: true };
    await expect(authenticator.authenticate('new', suspect)).rejects.toMatchObject({
      problem: { status: 429, code: 'TooManyFailures' },
    });
    await expect(authenticator.authenticate('good', suspect)).resolves.toMatchObject({
      name: 'kubernetes:ann',
    });
    expect(asked).toEqual(['good', 'good']);
  });
});
