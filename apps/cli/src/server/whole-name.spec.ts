import { describe, expect, it } from '@jest/globals';
import { planApproval, planDryRunEnd, planEnd, planRollback } from '../actions/plan-actions.ts';
import type { ApiRequest } from './api-client.ts';
import {
  requireWhole,
  wholeCommit,
  wholeCommitOfAny,
  wholeDigest,
  wholeIntervention,
  wholeToken,
} from './whole-name.ts';

const one = `abcdef01${'1'.repeat(32)}`;
const other = `abcdef02${'2'.repeat(32)}`;
const digest = `0123456789ab${'c'.repeat(52)}`;
const elsewhere = `abcdef03${'3'.repeat(32)}`;
const ended = 'eeeeeeee-2222-4000-8000-000000000000';
const ids = ['0f0f0f0f-1111-4111-8111-111111111111', '0f0f0f0f-2222-4222-8222-222222222222'];

function controller(): { readonly ask: <A>(request: ApiRequest) => Promise<A>; readonly asked: string[] } {
  const asked: string[] = [];
  const answers: Readonly<Record<string, readonly object[]>> = {
    '/sources/policies/revisions': [one, other, one].map((hash) => ({ commit: { hash } })),
    '/sources/others/revisions': [{ commit: { hash: elsewhere } }],
    '/sources': [
      { name: 'policies', viewerRoles: ['viewer'] },
      { name: 'others', viewerRoles: ['viewer'] },
      { name: 'hidden', viewerRoles: [] },
    ],
    '/sources/hidden/revisions': [],
    '/sources/empty/revisions': [],
    '/interventions': ids.map((id) => ({ id })),
    '/tokens': ids.map((id) => ({ id })),
    '/audit-entries': [
      { payload: { action: 'EndOverride', arguments: { id: ended } } },
      { payload: { action: 'ApproveHold', arguments: { id: 'fffffff-no-end' } } },
    ],
    '/holds': [
      { source: 'policies', digest },
      { source: 'others', digest: digest.replace(/c/g, 'd') },
    ],
  };
  return {
    asked,
    ask: <A>({ path }: ApiRequest) => {
      asked.push(path);
      if (path === '/sources/hidden') return Promise.resolve({ viewerRoles: [] } as A);
      if (path === '/sources/empty') return Promise.resolve({ viewerRoles: ['viewer'] } as A);
      return Promise.resolve({ items: answers[path], next: null } as A);
    },
  };
}

describe('what is named by its first digits', () => {
  it('is the one revision, or the one hold of the source, that begins so', async () => {
    const { ask } = controller();
    expect(await wholeCommit(ask, 'policies', 'abcdef01')).toBe(one);
    expect(await wholeDigest(ask, 'policies', '0123456789ab')).toBe(digest);
    const rollback = planRollback(['policies', 'abcdef02'], { reason: 'x' });
    expect(await rollback.whole?.(ask)).toMatchObject({ body: { commit: other, reason: 'x' } });
    const approval = planApproval(['policies', '0123456'], { reason: 'x' });
    expect(await approval.whole?.(ask)).toEqual({
      method: 'POST',
      path: `/sources/policies/holds/${digest}/approve`,
      body: { reason: 'x' },
    });
  });

  it('is not said to be unknown to those who may not see the revisions', async () => {
    const { ask } = controller();
    await expect(wholeCommit(ask, 'hidden', 'abcdef01')).rejects.toMatchObject({
      problem: { code: 'Forbidden', detail: expect.stringContaining('all 40 digits') },
    });
    await expect(requireWhole(ask, 'hidden')).rejects.toMatchObject({
      problem: { code: 'Forbidden', detail: expect.stringMatching(/every namespace that it is about$/) },
    });
    await expect(wholeCommit(ask, 'empty', 'abcdef01')).rejects.toMatchObject({
      problem: { code: 'UnknownRevision' },
    });
  });

  it('is the one revision of any source, or the one intervention, that begins so', async () => {
    const { ask } = controller();
    expect(await wholeCommitOfAny(ask, 'abcdef03')).toBe(elsewhere);
    const end = { method: 'DELETE', path: `/interventions/${ids[1]}` };
    expect(await planEnd(['0f0f0f0f-2'], { reason: 'x' }).whole?.(ask)).toEqual(end);
    expect(await planDryRunEnd(['0f0f0f0f-2222'], { reason: 'x' }).whole?.(ask)).toEqual(end);
    await expect(wholeCommitOfAny(ask, 'abcdef0')).rejects.toMatchObject({
      name: 'UnusableError',
      message: `more than one revision begins with abcdef0: ${one}, ${other}, ${elsewhere}`,
    });
    await expect(wholeIntervention(ask, '0f0f0f0')).rejects.toMatchObject({
      name: 'UnusableError',
      message: `more than one intervention begins with 0f0f0f0: ${ids.join(', ')}`,
    });
    for (const given of ['0f0f', 'shop/checkout', '']) {
      await expect(wholeIntervention(ask, given)).rejects.toMatchObject({
        name: 'UnusableError',
        message: `ID is "${given}"; it wants the whole name, or at least 7 of its first digits: "plimsoll get interventions" has them`,
      });
    }
    await expect(wholeCommitOfAny(ask, 'fffffff')).rejects.toMatchObject({
      problem: {
        code: 'UnknownCommit',
        status: 404,
        detail:
          'no revision that you may see begins with fffffff; another one, or an older one than the latest 100 of its source, wants its whole hash',
      },
    });
    await expect(wholeIntervention(ask, 'fffffff')).rejects.toMatchObject({
      problem: {
        code: 'UnknownIntervention',
        detail: 'no intervention that stands, or has ended lately, begins with fffffff',
      },
    });
    expect(await wholeIntervention(ask, 'eeeeeee')).toBe(ended);
  });

  it('is the one token that begins so, and no other', async () => {
    const { ask } = controller();
    expect(await wholeToken(ask, '0f0f0f0f-1')).toBe(ids[0]);
    await expect(wholeToken(ask, '0f0f0f0')).rejects.toMatchObject({
      message: `more than one token begins with 0f0f0f0: ${ids.join(', ')}`,
    });
    await expect(wholeToken(ask, 'fffffff')).rejects.toMatchObject({
      problem: { code: 'UnknownToken', detail: 'no token begins with fffffff' },
    });
  });

  it.each([
    { given: 'abcdef0', says: `more than one revision of policies begins with abcdef0: ${one}, ${other}` },
    {
      given: 'abcdef',
      says: 'COMMIT is "abcdef"; it wants the whole name, or at least 7 of its first digits: "plimsoll get revisions --source policies" has the latest',
    },
  ])('is of no use where it is too short, or begins several: $given', async ({ given, says }) => {
    await expect(wholeCommit(controller().ask, 'policies', given)).rejects.toMatchObject({
      name: 'UnusableError',
      message: says,
    });
  });

  it('is refused as a whole name is where nothing begins so', async () => {
    const { ask, asked } = controller();
    await expect(wholeCommit(ask, 'policies', 'fffffff')).rejects.toMatchObject({
      name: 'RefusedError',
      problem: {
        code: 'UnknownRevision',
        detail:
          'no revision of policies begins with fffffff; an older one than the latest 100 wants its whole hash',
      },
    });
    await expect(wholeDigest(ask, 'policies', 'fffffff')).rejects.toMatchObject({
      name: 'RefusedError',
      problem: {
        code: 'UnknownHold',
        detail: 'no hold of policies begins with fffffff; a newer commit may have replaced it',
      },
    });
    // Where there is no such source, this question is what is refused; one with holds is there.
    expect(asked.at(-1)).toBe('/holds');
    await expect(wholeDigest(ask, 'gone', 'fffffff')).rejects.toMatchObject({
      problem: { detail: 'no hold of gone begins with fffffff; a newer commit may have replaced it' },
    });
    expect(asked.at(-1)).toBe('/sources/gone');
    await expect(wholeDigest(ask, 'policies', 'b388')).rejects.toMatchObject({
      name: 'UnusableError',
      message:
        'DIGEST is "b388"; it wants the whole name, or at least 7 of its first digits: "plimsoll get holds" has them',
    });
  });

  it.each([one, one.toUpperCase()])(
    'is left to the controller where it is whole, in any case: %j',
    async (given) => {
      const { ask, asked } = controller();
      expect(await wholeCommit(ask, 'policies', given)).toBe(one);
      expect(await wholeDigest(ask, 'policies', given)).toBe(one);
      expect(await wholeCommitOfAny(ask, given)).toBe(one);
      expect(await wholeIntervention(ask, ids[0] ?? '')).toBe(ids[0]);
      expect(asked).toEqual([]);
    },
  );

  it.each(['main', 'HEAD~1', ''])('is no hash, and where hashes are listed is said: %j', async (given) => {
    const { ask, asked } = controller();
    const wants = 'it wants the whole name, or at least 7 of its first digits: "plimsoll get revisions';
    await expect(wholeCommit(ask, 'policies', given)).rejects.toThrow(`COMMIT is "${given}"; ${wants}`);
    await expect(wholeCommitOfAny(ask, given)).rejects.toThrow(`--commit is "${given}"; ${wants}`);
    await expect(wholeDigest(ask, 'policies', given)).rejects.toThrow('"plimsoll get holds" has them');
    expect(asked).toEqual([]);
  });

  it('may begin in capitals', async () => {
    expect(await wholeCommitOfAny(controller().ask, 'ABCDEF03')).toBe(elsewhere);
  });
});
