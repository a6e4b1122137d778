import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { ConfiguredSource, type GitPort } from '#git-sync';
import { FakeRevisionStore, MemoryBench, policyYaml } from '#git-sync/testing';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { grantEverywhere, type Principal } from '../../auth/callers/principal.ts';
import { unanswered } from '../../auth/callers/refusal-problems.ts';
import { letInAs } from '../../auth/gate/caller-again.ts';
import { SourceRegistry } from '../../git-sync/source-registry.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { ActionGate } from '../access/action-gate.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { AdminActions } from './admin-actions.ts';
import { EarlierActions } from './earlier-actions.ts';
import { FourEyes } from './four-eyes.ts';

const caller = (name: string): Principal => ({
  name,
  email: `${name}@example.com`,
  grants: grantEverywhere('approver'),
});

/** What the forge says of every commit. */
const pushedDirectly = { number: null, author: null, approvers: [], verified: true };

/** A controller's actions on a source with one hold, whose fetches can be suspended. */
class ActionsBench {
  readonly bench = new MemoryBench();
  readonly ledger = new InMemoryLedger();
  readonly refused: string[] = [];
  /** What fetches wait for. */
  fetching: Promise<unknown> = Promise.resolve();
  source!: ConfiguredSource;
  actions!: AdminActions;
  digest = '';

  async begin(): Promise<void> {
    const { bench, ledger, refused } = this;
    const git: GitPort = {
      open: async (location) => {
        const repository = await bench.git.open(location);
        return {
          ...repository,
          fetchHead: async (limits) => {
            await this.fetching;
            return repository.fetchHead(limits);
          },
        };
      },
    };
    this.source = new ConfiguredSource(bench.configuration, { ...bench.ports(), git });
    bench.origin.commit('Two', { 'a.yaml': policyYaml('a'), 'b.yaml': policyYaml('b') });
    await this.source.sync();
    bench.origin.commit('None', { 'a.yaml': null, 'b.yaml': null });
    await this.source.sync();
    this.digest = this.source.holds()[0]?.digest ?? '';
    const sources = new SourceRegistry({
      sources: [this.source],
      settings: configurationSchema.parse({
        cluster: { name: 'prod' },
        mode: 'Act',
        namespaces: ['shop'],
        sources: [{ name: 'policies', url: 'file:///policies' }],
      }).sources,
      store: new FakeRevisionStore(),
      active: bench.active,
    });
    const access = new SourceAccess({ sources, activePolicies: bench.active });
    this.actions = new AdminActions({
      sources,
      access,
      fourEyes: new FourEyes({
        sources,
        access,
        pullRequests: { find: () => Promise.resolve(pushedDirectly) },
        forges: { whyUnanswered: () => null },
      }),
      earlier: new EarlierActions({ ledger, access }),
      changes: { of: () => [], standingFor: () => [] },
      writer: new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' }),
      gate: new ActionGate({
        fences: { role: 'active', isLeader: true },
        outage: { find: () => null },
        refusals: {
          record: ({ actor, action, reason }) => {
            refused.push(`${actor} ${action}: ${reason}`);
            return Promise.resolve();
          },
        },
      }),
      clock: bench.clock,
    });
  }

  decide(action: 'approve' | 'reject', name: string, principal = caller(name)): Promise<string> {
    const request = { principal, source: 'policies', reason: 'looked', digest: this.digest };
    return this.actions[action](request).then(
      () => 'done',
      (error: unknown) =>
        error instanceof ProblemError ? error.problem.code : (error as { readonly code: string }).code,
    );
  }

  /** What the ledger has of actions: `ann ApproveHold Accepted`. */
  async recorded(): Promise<readonly string[]> {
    const { items } = await this.ledger.entries({
      kinds: ['OperatorAction'],
      order: 'OldestFirst',
      limit: 100,
    });
    return items.flatMap(({ entry }) =>
      entry.kind === 'OperatorAction'
        ? [`${entry.payload.actor} ${entry.payload.action} ${entry.payload.outcome}`]
        : [],
    );
  }
}

/** As long as it takes until nothing moves on by itself. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

describe('two people who decide one hold', () => {
  let bench: ActionsBench;

  beforeEach(async () => {
    bench = new ActionsBench();
    await bench.begin();
  });

  it.each(['approve', 'reject'] as const)(
    'an approval during a fetch is done, and a later %s is refused and names who approved',
    async (second) => {
      const fetch = Promise.withResolvers<undefined>();
      bench.fetching = fetch.promise;
      const look = bench.source.sync();
      await settle();
      const first = bench.decide('approve', 'ann');
      await settle();
      const later = bench.decide(second, 'ben');
      await settle();
      await expect(bench.recorded()).resolves.toEqual([]);
      fetch.resolve(undefined);
      await look;
      await expect(Promise.all([first, later])).resolves.toEqual(['done', 'UnknownHold']);
      expect(bench.bench.bounds()).toEqual([]);
      await expect(bench.recorded()).resolves.toEqual(['ann ApproveHold Accepted']);
      const name = second === 'approve' ? 'ApproveHold' : 'RejectHold';
      expect(bench.refused).toEqual([
        expect.stringMatching(new RegExp(`^ben ${name}: .*: ann did ApproveHold at .* \\(looked\\)$`)),
      ]);
    },
  );

  it('a rejection that comes while an approved commit is looked at does not take the approval back', async () => {
    const fetch = Promise.withResolvers<undefined>();
    bench.fetching = fetch.promise;
    const first = bench.decide('approve', 'ann');
    await settle();
    await expect(bench.recorded()).resolves.toEqual(['ann ApproveHold Accepted']);
    const later = bench.decide('reject', 'ben');
    await settle();
    fetch.resolve(undefined);
    await expect(Promise.all([first, later])).resolves.toEqual(['done', 'UnknownHold']);
    expect(bench.bench.bounds()).toEqual([]);
  });

  it('an approval after a rejection is the second word, and both are recorded as they were done', async () => {
    const first = bench.decide('reject', 'ben');
    await expect(Promise.all([first, bench.decide('approve', 'ann')])).resolves.toEqual(['done', 'done']);
    await expect(bench.recorded()).resolves.toEqual(['ben RejectHold Accepted', 'ann ApproveHold Accepted']);
    expect(bench.bench.bounds()).toEqual([]);
  });

  it('an action is refused after half a minute of a hung fetch, and neither recorded nor done later', async () => {
    const fetch = Promise.withResolvers<undefined>();
    bench.fetching = fetch.promise;
    const look = bench.source.sync();
    await settle();
    const rejected = bench.decide('reject', 'ben');
    await settle();
    bench.bench.clock.advance(29_999);
    await expect(Promise.race([rejected, settle()])).resolves.toBeUndefined();
    bench.bench.clock.advance(1);
    await expect(rejected).resolves.toBe('SourceBusy');
    fetch.resolve(undefined);
    await look;
    await settle();
    expect(bench.source.holds()).toMatchObject([{ digest: bench.digest, isRejected: false }]);
    await expect(bench.recorded()).resolves.toEqual([]);
    await expect(bench.decide('approve', 'ann')).resolves.toBe('done');
  });

  it('who may not is told at once, whatever the source is busy with', async () => {
    bench.fetching = Promise.withResolvers<undefined>().promise;
    void bench.source.sync();
    await settle();
    await expect(bench.decide('approve', 'ada')).resolves.toBe('SelfApproval');
  });

  it.each([
    { name: 'its token was revoked', now: () => Promise.resolve(undefined), want: 'Forbidden' },
    {
      name: 'its token is another’s',
      now: () => Promise.resolve(caller('ben')),
      want: 'Forbidden',
    },
    {
      name: 'its caller is no approver any more',
      now: () => Promise.resolve({ ...caller('ann'), grants: grantEverywhere('operator') }),
      want: 'Forbidden',
    },
    {
      name: 'nobody can tell whose its token is',
      now: () => Promise.reject(new ProblemError(unanswered)),
      want: 'Unavailable',
    },
  ])('an action is not done where, while it waited for its turn, $name', async ({ now, want }) => {
    const fetch = Promise.withResolvers<undefined>();
    bench.fetching = fetch.promise;
    const look = bench.source.sync();
    await settle();
    let ask: () => Promise<Principal | undefined> = () => Promise.resolve(caller('ann'));
    const waiting = bench.decide(
      'approve',
      'ann',
      letInAs(caller('ann'), () => ask()),
    );
    await settle();
    ask = now;
    fetch.resolve(undefined);
    await look;
    await expect(waiting).resolves.toBe(want);
    await expect(bench.recorded()).resolves.toEqual([]);
    expect(bench.refused).toEqual(want === 'Forbidden' ? [expect.stringMatching(/^ann ApproveHold: /)] : []);
    expect(bench.source.holds()).toMatchObject([{ digest: bench.digest }]);
  });
});

describe('an action that is recorded', () => {
  it('is stored with what it decides, and decides nothing where the entry is refused', async () => {
    const bench = new ActionsBench();
    await bench.begin();
    bench.ledger.faults.push('Broken');
    await expect(bench.decide('reject', 'ben')).resolves.toBe('DiskFull');
    expect(bench.source.holds()).toMatchObject([{ isRejected: false }]);
    expect([...bench.ledger.sources]).toEqual([]);
    await expect(bench.decide('reject', 'ben')).resolves.toBe('done');
    expect([...bench.ledger.sources.values()]).toMatchObject([
      { source: 'policies', brakes: { holds: [{ digest: bench.digest, isRejected: true }] } },
    ]);
    expect(bench.ledger.batches).toHaveLength(1);
  });
});
