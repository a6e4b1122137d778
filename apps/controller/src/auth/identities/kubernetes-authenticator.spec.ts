import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReviewedAccess, ReviewedUser } from '#adapter-kubernetes';
import { AdapterError } from '#kernel';
import { KubernetesAuthenticator } from './kubernetes-authenticator.ts';

const ann: ReviewedUser = { username: 'ann', uid: '1', groups: ['dev'], extra: {} };

const away = new AdapterError({ code: 'NotConnected', message: 'connect ECONNREFUSED', retryable: true });
const forbidden = new AdapterError({ code: 'Forbidden', message: '403', retryable: false });
const unavailable = { problem: { status: 503, code: 'Unavailable' } };

describe('a token of the cluster', () => {
  let allowed: ReadonlySet<string>;
  let asked: string[];
  let now: number;
  let answer: (token: string) => Promise<ReviewedUser | null>;
  let isAllowed: (access: ReviewedAccess) => Promise<boolean>;
  let authenticator: KubernetesAuthenticator;
  let waits: (() => void)[];
  let told: string[];
  const pass = (): void => {
    for (const end of waits.splice(0)) end();
  };
  beforeEach(() => {
    waits = [];
    told = [];
    allowed = new Set();
    asked = [];
    now = 0;
    answer = (token) => Promise.resolve(token === 'good' ? ann : null);
    isAllowed = ({ verb, namespace }) => Promise.resolve(allowed.has(`${verb} ${namespace ?? '*'}`));
    authenticator = new KubernetesAuthenticator({
      reviews: {
        userOf: (token) => {
          asked.push(token);
          return answer(token);
        },
        isAllowed: (_user, access) => isAllowed(access),
      },
      audiences: [],
      namespaces: () => ['shop', 'pay', 'shop'],
      now: () => now,
      wait: () => new Promise((resolve) => void waits.push(resolve)),
      onUnanswered: (reason) => void told.push(reason),
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

  it.each([
    { name: 'does not answer', failure: away },
    { name: 'does not let Plimsoll ask', failure: forbidden },
  ])('is neither accepted nor refused where the API server $name', async ({ failure }) => {
    await authenticator.authenticate('good');
    const works = answer;
    answer = () => Promise.reject(failure);
    await expect(authenticator.authenticate('new')).rejects.toMatchObject(unavailable);
    now = 59_999;
    await expect(authenticator.authenticate('good')).resolves.toMatchObject({ name: 'kubernetes:ann' });
    now = 60_000;
    await expect(authenticator.authenticate('good')).rejects.toMatchObject(unavailable);
    answer = works;
    await expect(authenticator.authenticate('good', { isSuspect: true })).resolves.toMatchObject({
      name: 'kubernetes:ann',
    });
    await expect(authenticator.authenticate('new')).resolves.toBeUndefined();
    expect(asked).toEqual(['good', 'new', 'good', 'good', 'new']);
  });

  it('is neither, too, where the API server stops answering while it is asked what its user may do', async () => {
    isAllowed = () => Promise.reject(away);
    await expect(authenticator.authenticate('good')).rejects.toMatchObject(unavailable);
  });

  it('is not asked about for five seconds after three answers in a row that did not come', async () => {
    answer = () => Promise.reject(away);
    for (let index = 0; index < 20; index += 1)
      await expect(authenticator.authenticate(`guess ${index}`)).rejects.toMatchObject(unavailable);
    expect(asked).toHaveLength(3);
    now = 5_000;
    const gate = Promise.withResolvers<ReviewedUser | null>();
    answer = () => gate.promise;
    const trial = authenticator.authenticate('good');
    await expect(authenticator.authenticate('another')).rejects.toMatchObject(unavailable);
    expect(asked).toHaveLength(4);
    gate.reject(away);
    await expect(trial).rejects.toMatchObject(unavailable);
    await expect(authenticator.authenticate('good')).rejects.toMatchObject(unavailable);
    expect(asked).toHaveLength(4);
    now = 10_000;
    answer = () => Promise.resolve(ann);
    for (const token of ['good', 'better'])
      await expect(authenticator.authenticate(token)).resolves.toMatchObject({ name: 'kubernetes:ann' });
  });

  it('is asked about where it was accepted before, however many others got no answer', async () => {
    await authenticator.authenticate('good');
    now = 60_000;
    answer = (token) => (token === 'good' ? Promise.resolve(ann) : Promise.reject(away));
    for (let index = 0; index < 20; index += 1)
      await authenticator.authenticate(`guess ${index}`).catch(() => undefined);
    await expect(authenticator.authenticate('good')).resolves.toMatchObject({ name: 'kubernetes:ann' });
  });

  it('that could not be asked about is told of at most once a minute', async () => {
    answer = () => Promise.reject(away);
    for (now = 0; now < 120_000; now += 5_000)
      await authenticator.authenticate('good').catch(() => undefined);
    expect(told).toEqual(['connect ECONNREFUSED', 'connect ECONNREFUSED']);
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
