import { beforeEach, describe, expect, it } from '@jest/globals';
import { adminStream, entryId, lateStream, LedgerWriter, policyStream, syncStream } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { aDecisionDraft } from '../../../../../test/support/ledger-builders.ts';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import { type AuditFilter, AuditTimeline } from './audit-timeline.ts';
import { BatchedLedger } from './batched-ledger.ts';

const viewerOf = (...namespaces: string[]): Principal => ({
  name: 'viewer',
  grants: [{ role: 'viewer', namespaces }],
});
const everything = viewerOf('*');

const action = (given: Readonly<Record<string, string>>) =>
  ({
    stream: adminStream,
    kind: 'OperatorAction',
    payload: { actor: 'alex', action: 'SuspendScaling', outcome: 'Accepted', reason: 'x', arguments: given },
  }) as const;
const change = (namespace: string) =>
  ({
    stream: policyStream({ namespace, name: 'web' }),
    kind: 'StrategyChange',
    payload: {
      policy: { namespace, name: 'web' },
      field: 'enabled',
      before: 'true',
      after: 'false',
      commit: null,
    },
  }) as const;
const sync = {
  stream: syncStream,
  kind: 'SyncRun',
  payload: { source: 'policies', outcome: 'active', message: '', commit: null, diagnostics: [] },
} as const;

const noScopes = { namesOf: () => Promise.resolve([]) };

describe('the timeline', () => {
  let timeline: AuditTimeline;
  let writer: LedgerWriter;
  beforeEach(async () => {
    const ledger = new InMemoryLedger();
    writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    const drafts = [
      change('shop'),
      sync,
      action({ scope: 'Namespace', namespace: 'shop' }),
      change('pay'),
      action({ scope: 'Policy', policy: 'pay/web' }),
      action({ scope: 'Cluster' }),
      change('shop'),
    ].map((draft, index) => ({ ...draft, time: `2026-11-22T10:00:0${index}Z` }));
    await writer.append({ drafts });
    timeline = new AuditTimeline(new BatchedLedger(ledger), {
      namesOf: (caller, { namespace }) =>
        Promise.resolve([`Namespace ${namespace}`, ...(mayAct(caller, 'viewer', null) ? ['Cluster'] : [])]),
    });
  });

  const idsOf = async (
    caller: Principal,
    filter: AuditFilter = {},
    first = 2,
  ): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let after: string | null = null; ;) {
      const page = await timeline.listAuditEntries(caller, { first, after }, filter);
      ids.push(...page.items.map(({ item }) => entryId(item)));
      if (!page.hasMore) return ids;
      after = page.items.at(-1)?.cursor ?? null;
    }
  };

  it('shows what came late of a policy, and never as the newest of a kind', async () => {
    const late = { ...change('shop'), stream: lateStream({ namespace: 'shop', name: 'web' }) } as const;
    await writer.append({ drafts: [{ ...late, time: '2026-11-22T10:00:09Z' }] });
    const policy = { namespace: 'shop', name: 'web' };
    expect(await idsOf(everything, { policy })).toEqual([
      'late:shop/web#1',
      'policy:shop/web#2',
      'admin#3',
      'admin#1',
      'policy:shop/web#1',
    ]);
    const newest = await timeline.listEntries(everything, { first: 1 }, { kind: 'StrategyChange', policy });
    expect(newest.items.map(({ item }) => entryId(item))).toEqual(['policy:shop/web#2']);
    expect(await idsOf(viewerOf('pay'), { policy })).toEqual([]);
  });

  it.each<{
    readonly name: string;
    readonly caller: Principal;
    readonly filter?: AuditFilter;
    readonly want: readonly string[];
  }>([
    {
      name: 'all of it to who may view every namespace',
      caller: everything,
      want: [
        'policy:shop/web#2',
        'admin#3',
        'admin#2',
        'policy:pay/web#1',
        'admin#1',
        'sync#1',
        'policy:shop/web#1',
      ],
    },
    {
      name: 'a namespace with what operators did to it',
      caller: everything,
      filter: { namespaces: ['shop'] },
      want: ['policy:shop/web#2', 'admin#1', 'policy:shop/web#1'],
    },
    {
      name: 'only what a caller may view, of what it asks for',
      caller: viewerOf('pay'),
      filter: { namespaces: ['shop', 'pay'] },
      want: ['admin#2', 'policy:pay/web#1'],
    },
    {
      name: 'the same to who names no namespace',
      caller: viewerOf('pa*'),
      want: ['admin#2', 'policy:pay/web#1'],
    },
    {
      name: 'nothing of another namespace',
      caller: viewerOf('pay'),
      filter: { namespaces: ['shop'] },
      want: [],
    },
    {
      name: 'a policy with what operators did to it, and not to its namespace',
      caller: viewerOf('pay'),
      filter: { policy: { namespace: 'pay', name: 'web' } },
      want: ['admin#2', 'policy:pay/web#1'],
    },
    {
      name: 'nothing of a policy outside the namespaces that are asked for',
      caller: everything,
      filter: { policy: { namespace: 'pay', name: 'web' }, namespaces: ['shop'] },
      want: [],
    },
    {
      name: 'a policy with what operators did to its namespace and the cluster',
      caller: everything,
      filter: { policy: { namespace: 'pay', name: 'web' }, kinds: ['OperatorAction'] },
      want: ['admin#3', 'admin#2'],
    },
    {
      name: 'a policy with what operators did to its namespace, and nothing of the whole cluster',
      caller: viewerOf('shop'),
      filter: { policy: { namespace: 'shop', name: 'web' }, kinds: ['OperatorAction'] },
      want: ['admin#1'],
    },
    {
      name: 'nothing of a policy in another namespace',
      caller: viewerOf('pay'),
      filter: { policy: { namespace: 'shop', name: 'web' } },
      want: [],
    },
    {
      name: 'kinds of a time',
      caller: everything,
      filter: { kinds: ['StrategyChange'], from: '2026-11-22T10:00:03Z', until: '2026-11-22T10:00:06Z' },
      want: ['policy:pay/web#1'],
    },
  ])('shows $name', async ({ caller, filter, want }) => {
    expect(await idsOf(caller, filter)).toEqual(want);
    expect(await idsOf(caller, filter, 100)).toEqual(want);
  });

  it('reads a page of a namespace at once, whatever operators did to others', async () => {
    const ledger = new InMemoryLedger();
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    const given = [{ policy: 'pay/web' }, ...Array.from({ length: 2_500 }, () => ({ policy: 'shop/web' }))];
    const drafts = given.map((each) => ({ ...action(each), time: '2026-11-22T10:00:00Z' }));
    await writer.append({ drafts });
    const asked: number[] = [];
    const counted = new AuditTimeline(
      {
        entry: (address) => ledger.entry(address),
        entries: (query) => {
          asked.push(query.limit);
          return ledger.entries(query);
        },
        decisionSummaries: () => Promise.reject(new Error('not asked')),
        decisionSummaryAt: () => Promise.reject(new Error('not asked')),
        latestDecision: () => Promise.reject(new Error('not asked')),
      },
      noScopes,
    );
    const page = await counted.listAuditEntries(viewerOf('pay'), { first: 5 }, {});
    expect(page.items.map(({ item }) => entryId(item))).toEqual(['admin#1']);
    expect(asked).toEqual([5]);
  });

  it.each([
    { id: 'policy:shop/web#1', isVisible: false },
    { id: 'policy:pay/web#1', isVisible: true },
    { id: 'admin#2', isVisible: true },
    { id: 'admin#3', isVisible: false },
    { id: 'sync#1', isVisible: false },
    { id: 'policy:pay/web#9', isVisible: false },
    { id: 'nonsense', isVisible: false },
  ])('finds $id for a viewer of pay: $isVisible', async ({ id, isVisible }) => {
    const found = await timeline.findEntry(viewerOf('pay'), id);
    expect(found === null ? null : entryId(found)).toBe(isVisible ? id : null);
  });

  it.each([
    { id: 'policy:shop/web#3', isVisible: false },
    { id: 'policy:pay/web#2', isVisible: true },
    { id: 'policy:pay/web#1', isVisible: false },
    { id: 'admin#2', isVisible: false },
    { id: 'nonsense', isVisible: false },
  ])(
    'finds the decision $id without its payload for a viewer of pay: $isVisible',
    async ({ id, isVisible }) => {
      const drafts = ['shop', 'pay'].map((namespace) =>
        aDecisionDraft({ policy: { namespace, name: 'web' } }),
      );
      await writer.append({ drafts });
      const found = await timeline.findSummary(viewerOf('pay'), id);
      expect(found === null ? null : entryId(found)).toBe(isVisible ? id : null);
    },
  );

  it.each([
    { filter: { kinds: [] }, code: 'BadArgument' },
    { filter: { namespaces: ["a'; DROP TABLE ledger_entry; --"] }, code: 'BadName' },
    { filter: { namespaces: Array.from({ length: 101 }, () => 'a') }, code: 'BadArgument' },
    { filter: { commit: 'HEAD' }, code: 'BadArgument' },
    { filter: { actor: '\0' }, code: 'BadArgument' },
    { filter: { from: 'yesterday' }, code: 'BadTime' },
  ])('refuses $filter', async ({ filter, code }) => {
    await expect(idsOf(everything, filter as AuditFilter)).rejects.toMatchObject({ code });
  });
});
