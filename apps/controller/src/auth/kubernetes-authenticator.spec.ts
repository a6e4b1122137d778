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
  beforeEach(() => {
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

  it('is not asked about while eight others are', async () => {
    const pending: (() => void)[] = [];
    answer = () => new Promise((resolve) => void pending.push(() => resolve(null)));
    const first = Array.from({ length: 8 }, (_, index) => authenticator.authenticate(`guess ${index}`));
    expect(await authenticator.authenticate('good')).toBeUndefined();
    for (const end of pending) end();
    await Promise.all(first);
    answer = () => Promise.resolve(ann);
    expect(await authenticator.authenticate('good')).toMatchObject({ name: 'kubernetes:ann' });
    expect(asked).toHaveLength(9);
  });
});
