import { expect, it } from '@jest/globals';
import type { CommitInfo, Participants, PullRequest, SourceTurn, SyncOutcome } from '#git-sync';
import { AdapterError } from '#kernel';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { ActionGate } from '../access/action-gate.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { AdminActions } from './admin-actions.ts';
import { EarlierActions } from './earlier-actions.ts';
import { FourEyes } from './four-eyes.ts';

const person = { name: 'Alex', email: 'alex@example.com', time: '2026-11-21T12:00:00Z' };
const aCommit = (hash: string): CommitInfo => ({
  hash,
  tree: hash,
  parents: [],
  author: person,
  committer: person,
  subject: 'Raise',
  message: 'Raise',
});
const outcome: SyncOutcome = {
  source: 'policies',
  result: 'active',
  commit: null,
  message: '',
  diagnostics: [],
  holds: [],
};
/** Of every commit that a forge was asked about in vain. */
const limited = 'RateLimited: the forge limits requests';
const unused = (): never => {
  throw new Error('not asked for');
};

const participants = (): Promise<Participants> =>
  Promise.resolve({ commits: [aCommit('b'), aCommit('a')], signers: [], areAuthorsKnown: true });
/** Of whose commits these are not verified. */
const unverified =
  (...unverifiedCommits: readonly string[]) =>
  async (): Promise<Participants> => ({ ...(await participants()), unverifiedCommits });
const closed = (): Promise<never> =>
  Promise.reject(new AdapterError({ code: 'Closed', message: 'the process is ending', retryable: true }));

const away = (): Promise<never> =>
  Promise.reject(
    new AdapterError({ code: 'Timeout', message: 'silent', retryable: true, system: 'Database' }),
  );

it.each([
  { name: 'the author of a pull request in it', forgeLogin: 'Pat', load: participants, want: 'SelfApproval' },
  { name: 'another person', forgeLogin: 'ada', load: participants, want: 'active' },
  {
    name: 'another person, of an unverified commit of a pull request',
    forgeLogin: 'ada',
    load: unverified('a'),
    want: 'active',
  },
  {
    name: 'another person, of an unverified commit without one',
    forgeLogin: 'ada',
    load: unverified('a', 'b'),
    want: 'IdentityUnknown',
  },
  {
    name: 'whoever may be the author of that pull request',
    forgeLogin: undefined,
    load: unverified('a'),
    want: 'IdentityUnknown',
  },
  {
    name: 'whoever may have brought a commit of which the forge has not said who did',
    forgeLogin: 'ada',
    load: async () => ({ ...(await participants()), commits: [aCommit('unasked')] }),
    held: 'unasked',
    want: 'IdentityUnknown',
  },
  { name: 'another person while the process ends', forgeLogin: 'ada', load: closed, want: 'NotActive' },
])('an approval by $name: $want', async ({ forgeLogin, load, held, want }) => {
  const { actions, principal } = await actionsOf(load, forgeLogin, held);
  const request = { principal, source: 'policies', reason: 'looked at it', digest: 'd' };
  const result = await actions.approve(request).then(
    ({ result: done }) => done?.result,
    (error: unknown) => (error as { readonly code: string }).code,
  );
  expect(result).toBe(want);
});

it('says why the forge has not said who brought a commit, where it refuses an approval for that', async () => {
  const load = async (): Promise<Participants> => ({
    ...(await participants()),
    commits: [aCommit('unasked')],
  });
  const { actions, principal } = await actionsOf(load, 'ada', 'unasked');
  const approval = actions.approve({ principal, source: 'policies', reason: 'looked at it', digest: 'd' });
  await expect(approval).rejects.toThrow(
    `the forge has not said yet who brought unasked (${limited}): ask again once it has`,
  );
});

it.each([
  { name: 'took part in it', forgeLogin: 'Pat', load: participants, want: 'SelfApproval' },
  { name: 'took no part in it', forgeLogin: 'ada', load: participants, want: undefined },
  { name: 'asks while the database is away', forgeLogin: 'ada', load: away, want: 'DatabaseUnavailable' },
])('who $name is told before whether it may approve: $want', async ({ forgeLogin, load, want }) => {
  const { actions, principal } = await actionsOf(load, forgeLogin);
  const refusal = await actions.whyNotApprove({ principal, source: 'policies', digest: 'd' });
  expect(refusal?.code).toBe(want);
});

/** The actions of an approver on a source that holds one commit. */
async function actionsOf(
  load: SourceOperations['participants'],
  forgeLogin: string | undefined,
  held: string | undefined = 'b',
) {
  const ledger = new InMemoryLedger();
  const hold = {
    scope: { kind: 'Source' },
    causes: [],
    digest: 'd',
    commit: held,
    since: person.time,
    isRejected: false,
  } as const;
  const turn: SourceTurn = {
    approve: () => Promise.resolve(outcome),
    reject: unused,
    release: unused,
    resume: unused,
    leave: unused,
    rollBack: unused,
    rehearseRollBack: unused,
    rehearseResume: unused,
    rehearseSync: unused,
  };
  const sources: SourceOperations = {
    syncFailures: () => new Map(),
    listSources: () => [
      {
        name: 'policies',
        isRetired: false,
        url: '',
        ref: 'main',
        commit: null,
        holds: [hold],
        pin: null,
        released: [],
        lastSync: null,
        staleSince: null,
        unknownApprovers: 'Refused',
      },
    ],
    participants: load,
    inTurn: (_, work) => work(turn),
    sync: unused,
    rehearseRollBack: unused,
    rehearseResume: unused,
    rehearseSync: unused,
    namespacesAt: unused,
    hasPolicy: unused,
    judgeBounds: unused,
    listRevisions: unused,
    latestRevision: unused,
    loadLines: unused,
    versionsAt: unused,
    documentsInForce: () => [],
    defaultsAt: unused,
    findRevisions: unused,
    listVersions: unused,
  };
  const access = new SourceAccess({ sources, activePolicies: { listActivePolicies: () => [] } });
  const pullRequest = { number: 1, author: 'pat', approvers: [], verified: true };
  const none = { number: null, author: null, approvers: [], verified: true };
  const answers = new Map<string, PullRequest>([
    ['a', pullRequest],
    ['b', none],
  ]);
  const pullRequests = { find: (hash: string) => Promise.resolve(answers.get(hash) ?? null) };
  const actions = new AdminActions({
    sources,
    access,
    fourEyes: new FourEyes({ sources, access, pullRequests, forges: { whyUnanswered: () => limited } }),
    earlier: new EarlierActions({ ledger, access }),
    changes: { of: () => [], standingFor: () => [] },
    writer: new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' }),
    gate: new ActionGate({
      fences: { role: 'active', isLeader: true },
      outage: { find: () => null },
      refusals: { record: () => Promise.resolve() },
    }),
    clock: new FakeClock(person.time),
  });
  const principal = {
    name: 'approver',
    grants: grantEverywhere('approver'),
    email: 'ada@example.com',
    forgeLogin,
  };
  return { actions, principal };
}
