import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase, SqlRevisionStore } from '#adapter-sql';
import type {
  AllowingAction,
  RevisionRecord,
  RevisionStorePort,
  SourceState,
  StoredDocument,
} from '#git-sync';
import { FakeRevisionStore } from '#git-sync/testing';
import type { JsonObject } from '#kernel';
import {
  type CommitReference,
  fenceExpirySeconds,
  HeldFences,
  type OperatorReference,
  type PolicyDeparture,
  sourceScope,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { ageFences } from '../../contract/ledger/empty-ledger-tables.ts';
import { migratedAhead } from '../../support/migrated-ahead.ts';
import { startPostgres } from '../../support/postgres.ts';

const closers: (() => Promise<unknown>)[] = [];

const databases = [
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: openPostgres },
];

const stores: readonly { readonly name: string; readonly open: () => Promise<RevisionStorePort> }[] = [
  { name: 'memory', open: () => Promise.resolve(new FakeRevisionStore()) },
  ...databases.map(({ name, open }) => ({ name, open: async () => (await open()).store })),
];

const at = (minute: number): string => `2026-03-01T00:0${minute}:00.000Z`;

function commit(hash: string) {
  return { hash, author: 'Ada <ada@example.com>', subject: hash, time: at(0) };
}

function document(name: string, change: Partial<StoredDocument> = {}): StoredDocument {
  return {
    role: 'Policy',
    tenant: '',
    kind: 'AutoscalingPolicy',
    namespace: 'shop',
    name,
    file: `${name}.yaml`,
    line: 1,
    column: 1,
    blob: 'b1',
    isListed: false,
    value: { spec: { maxReplicas: 3 } },
    document: { spec: { maxReplicas: 3, minReplicas: 1 } },
    commit: commit('one'),
    validFrom: at(1),
    ...change,
  };
}

function state(source: string, hash: string): SourceState {
  const run = { source, outcome: 'active', message: hash, commit: commit(hash), diagnostics: [] };
  return {
    source,
    unrecorded: { run, time: at(3) },
    configuration: { url: 'file:///x' },
    commit: commit(hash),
    tenants: { '': hash },
    judged: { commit: hash, outcome: 'active' },
    brakes: { holds: [] },
  };
}

function revision(hash: string): RevisionRecord {
  return {
    source: 'policies',
    commit: commit(hash),
    outcome: 'active',
    message: 'fine',
    fetchedAt: at(0),
    finishedAt: at(1),
    details: {},
  };
}

function documentsOf(found: ReadonlyMap<bigint, StoredDocument | null>): readonly StoredDocument[] {
  return [...found.values()].filter((each) => each !== null);
}

describe.each(stores)('revisions in $name', ({ open }) => {
  let store: RevisionStorePort;

  beforeEach(async () => {
    store = await open();
    await store.save({
      state: state('policies', 'one'),
      revision: revision('one'),
      put: [
        document('a'),
        document('b'),
        document('d', { role: 'Defaults', namespace: '', tenant: 'shop', document: null }),
        document('d', { role: 'Defaults', namespace: '', tenant: 'pay', document: null }),
        document('d', { role: 'Defaults', namespace: '', tenant: 'pay', file: 'x/d.yaml', document: null }),
      ],
      end: [],
      time: at(1),
    });
    await store.save({
      state: state('policies', 'two'),
      revision: revision('two'),
      put: [document('a', { tenant: 'moved', blob: 'b2', commit: commit('two'), validFrom: at(3) })],
      end: [
        { ...document('b'), departure: 'Kept' },
        { ...document('d', { role: 'Defaults', namespace: '', tenant: 'shop' }), departure: 'Pruned' },
      ],
      time: at(3),
    });
  });

  it('has in force what was put and not ended, also where a policy moved between tenants', async () => {
    const inForce = documentsOf(await store.loadInForce('policies'));
    expect(inForce.map(({ role, tenant, name, blob }) => [role, tenant, name, blob]).sort()).toEqual([
      ['Defaults', 'pay', 'd', 'b1'],
      ['Defaults', 'pay', 'd', 'b1'],
      ['Policy', 'moved', 'a', 'b2'],
    ]);
    await expect(store.loadInForce('another')).resolves.toEqual(new Map());
  });

  it('reads again only what is not known', async () => {
    const before = await store.loadInForce('policies');
    await store.save({
      state: state('policies', 'three'),
      revision: null,
      put: [document('c'), document('a', { blob: 'b3' })],
      end: [],
      time: at(4),
    });
    const after = await store.loadInForce('policies', before);
    const read = [...after].filter(([, found]) => found !== null);
    expect(documentsOf(new Map(read)).map(({ name, blob }) => [name, blob])).toEqual([
      ['c', 'b1'],
      ['a', 'b3'],
    ]);
    const kept = [...after].filter(([, found]) => found === null);
    expect(kept.map(([place]) => before.get(place)?.role)).toEqual(['Defaults', 'Defaults']);
  });

  it('knows what was in force at a moment', async () => {
    const before = await store.loadInForceAt('policies', at(2));
    expect(before.map(({ role, name }) => `${role} ${name}`).sort()).toEqual([
      'Defaults d',
      'Defaults d',
      'Defaults d',
      'Policy a',
      'Policy b',
    ]);
    const policy = { namespace: 'shop', name: 'a' };
    const asked = [
      { ...policy, time: at(0) },
      { ...policy, time: at(2) },
      { ...policy, time: at(3) },
      { ...policy, name: 'b', time: at(4) },
      { ...policy, time: at(2) },
    ];
    const found = await store.loadVersionsAt(asked);
    const first = { source: 'policies', blob: 'b1', validTo: at(3) };
    expect(found).toMatchObject([undefined, first, { blob: 'b2', validTo: null }, undefined, first]);
    for (const [index, one] of asked.entries())
      expect(await store.loadVersionsAt([one])).toEqual([found[index]]);
  });

  it('knows the defaults that sources had in force at moments, a list each', async () => {
    const lists = await store.loadDefaultsAt([
      { source: 'policies', time: at(0) },
      { source: 'policies', time: at(2) },
      { source: 'policies', time: at(3) },
      { source: 'another', time: at(3) },
    ]);
    const named = lists.map((list) => list.map(({ tenant, file }) => `${tenant} ${file}`).sort());
    expect(named).toEqual([
      [],
      ['pay d.yaml', 'pay x/d.yaml', 'shop d.yaml'],
      ['pay d.yaml', 'pay x/d.yaml'],
      [],
    ]);
  });

  it('lists the versions of several policies at once, newest first, a page at a time', async () => {
    const a = { namespace: 'shop', name: 'a' };
    const [newest, ofB, ofNone] = await store.loadVersions([
      { ...a, limit: 1 },
      { ...a, name: 'b', limit: 5 },
      { ...a, name: 'c', limit: 5 },
    ]);
    expect(newest).toMatchObject([{ version: { source: 'policies', blob: 'b2', validTo: null } }]);
    expect(ofB).toMatchObject([{ version: { blob: 'b1', validTo: at(3), departure: 'Kept' } }]);
    expect(ofNone).toEqual([]);
    const [rest] = await store.loadVersions([{ ...a, limit: 5, before: newest![0]!.place }]);
    expect(rest).toMatchObject([{ version: { blob: 'b1', validTo: at(3), departure: null } }]);
  });

  it('says how a policy left, and nothing of one that only changed', async () => {
    const [left, changed] = await store.loadVersionsAt([
      { namespace: 'shop', name: 'b', time: at(2) },
      { namespace: 'shop', name: 'a', time: at(2) },
    ]);
    expect([left?.validTo, left?.departure]).toEqual([at(3), 'Kept']);
    expect([changed?.validTo, changed?.departure]).toEqual([at(3), null]);
  });

  const byCommit = { allowedBy: [] };
  const olga = { by: 'olga', reason: 'incident 7' };
  const byRollback = {
    allowedBy: [
      { action: 'RollBackSource', ...olga, time: at(6), digest: null, tenants: null, policy: null },
    ],
  };
  const rollback = { action: 'RollBackSource', ...olga } as const;
  const release = { action: 'ReleasePolicy', ...olga } as const;
  const approval = { action: 'ApproveHold', ...olga, time: at(6), digest: 'abc' } as const;
  const ofTenant = (tenant: string): JsonObject => ({ ...approval, tenants: [tenant], policy: null });
  const approved = { allowedBy: [ofTenant('another'), ofTenant('moved')] };
  const approvedRollback = { allowedBy: [...byRollback.allowedBy, ...approved.allowedBy] };
  const removals: readonly {
    readonly departure: PolicyDeparture;
    readonly details: JsonObject;
    readonly removedBy: CommitReference | null;
    readonly operator?: OperatorReference;
    readonly allowed?: readonly AllowingAction[] | null;
  }[] = [
    { departure: 'Pruned', details: {}, removedBy: commit('three'), allowed: null },
    { departure: 'Pruned', details: approved, removedBy: commit('three'), allowed: [approval] },
    { departure: 'Kept', details: byCommit, removedBy: commit('three') },
    { departure: 'Kept', details: approved, removedBy: commit('three'), allowed: [approval] },
    { departure: 'Kept', details: byRollback, removedBy: null, operator: rollback },
    { departure: 'Kept', details: {}, removedBy: null, allowed: null },
    { departure: 'RolledBack', details: byRollback, removedBy: null, operator: rollback },
    {
      departure: 'RolledBack',
      details: approvedRollback,
      removedBy: null,
      operator: rollback,
      allowed: [approval],
    },
    { departure: 'Released', details: approved, removedBy: null },
    {
      departure: 'Released',
      details: { releasedBy: [{ ...olga, policy: null }] },
      removedBy: null,
      operator: release,
    },
    {
      departure: 'Released',
      details: {
        releasedBy: [
          { by: 'ben', reason: 'another', policy: 'shop/b' },
          { ...olga, policy: 'shop/a' },
        ],
      },
      removedBy: null,
      operator: release,
    },
  ];
  it.each(removals)(
    'names the commit or the operator that left a policy out, who let that happen, and no other: $departure, $details',
    async ({ departure, details, removedBy, operator = null, allowed = [] }) => {
      const later = { ...revision('three'), finishedAt: at(7) };
      await store.save({
        state: state('policies', 'three'),
        revision: { ...later, details },
        put: [],
        end: [{ ...document('a', { tenant: 'moved' }), departure }],
        time: at(7),
      });
      await store.save({
        state: state('policies', 'four'),
        revision: { ...revision('four'), finishedAt: at(8), details },
        put: [],
        end: [],
        time: at(8),
      });
      const a = { namespace: 'shop', name: 'a' };
      const [then] = await store.loadVersionsAt([{ ...a, time: at(6) }]);
      const [listed = []] = await store.loadVersions([{ ...a, limit: 5 }]);
      const removal = { removedBy, removedByOperator: operator, removalAllowedBy: allowed };
      expect(then).toMatchObject({ departure, ...removal });
      expect(listed.map(({ version }) => version.removedBy)).toEqual([removedBy, null]);
    },
  );

  it('knows what ended with a change, and how', async () => {
    const ended = await store.loadEnded('policies', at(3));
    expect(
      ended
        .map(({ document: { role, tenant, name, blob }, departure }) => [role, tenant, name, blob, departure])
        .sort(),
    ).toEqual([
      ['Defaults', 'shop', 'd', 'b1', 'Pruned'],
      ['Policy', '', 'a', 'b1', null],
      ['Policy', '', 'b', 'b1', 'Kept'],
    ]);
    expect(ended.find(({ document: { name } }) => name === 'a')?.document).toEqual(document('a'));
    await expect(store.loadEnded('policies', at(2))).resolves.toEqual([]);
    await expect(store.loadEnded('another', at(3))).resolves.toEqual([]);
  });

  it('finds the newest time that a commit came into force, as a whole or in part, and what did at a moment', async () => {
    const again = { ...revision('one'), finishedAt: at(5) };
    const partly = { ...revision('one'), outcome: 'partial', finishedAt: at(6) };
    for (const found of [again, partly])
      await store.save({ state: state('policies', 'one'), revision: found, put: [], end: [], time: at(6) });
    const source = 'policies';
    const whole = { source, outcomes: ['active'] } as const;
    const any = { source, outcomes: ['active', 'partial'] } as const;
    const asked = [
      { ...whole, by: { commit: 'three' } },
      { ...whole, by: { commit: 'one' } },
      { ...whole, source: 'another', by: { commit: 'one' } },
      { ...whole, by: { commit: 'two' } },
      { ...any, by: { commit: 'one' } },
      { ...any, by: { finishedAt: at(5) } },
      { ...any, by: { finishedAt: at(6) } },
      { ...whole, by: { finishedAt: at(6) } },
      { ...any, source: 'another', by: { finishedAt: at(5) } },
      { ...any, by: { finishedAt: at(4) } },
    ];
    const found = await store.loadRevisions(asked);
    expect(found).toEqual([
      undefined,
      again,
      undefined,
      revision('two'),
      partly,
      again,
      partly,
      undefined,
      undefined,
      undefined,
    ]);
    expect(await store.loadRevisions([asked[1]!])).toEqual([again]);
    await expect(store.loadLatestRevision(source, 'one')).resolves.toEqual(partly);
    await expect(store.loadLatestRevision(source, 'three')).resolves.toBeUndefined();
    await expect(store.loadLatestRevision('another', 'one')).resolves.toBeUndefined();
  });

  it('gives revisions newest first, and states as they were saved', async () => {
    const revisions = await store.listRevisions('policies', 10);
    expect(revisions.map((found) => found.commit.hash)).toEqual(['two', 'one']);
    await expect(store.listRevisions('policies', 1)).resolves.toEqual([revision('two')]);
    await expect(store.listSources()).resolves.toEqual([state('policies', 'two')]);
  });
});

describe.each(databases)('revisions in $name, of a process that lost its fence', ({ open }) => {
  const change = { revision: revision('one'), put: [document('a')], end: [], time: at(1) };

  it('are saved as a whole or not at all: not at all', async () => {
    const { store, database } = await open();
    await ageFences(database.sql, fenceExpirySeconds);
    const scope = sourceScope('policies');
    const fence = await takeFence(database.fences, { scope, holder: 'successor' });
    const fenced = { code: 'Fenced', retryable: true };
    await expect(store.save({ ...change, state: state('policies', 'one') })).rejects.toMatchObject(fenced);
    await expect(store.save({ ...change, state: state('other', 'one') })).rejects.toMatchObject(fenced);
    const successor = new SqlRevisionStore(database.sql, new HeldFences([fence]));
    expect(await successor.listSources()).toEqual([]);
    expect(await successor.listRevisions('policies', 10)).toEqual([]);
    expect(await successor.loadInForce('policies')).toEqual(new Map());
    await successor.save({ ...change, state: state('policies', 'one') });
    expect(await successor.listSources()).toEqual([state('policies', 'one')]);
  });
});

describe.each(databases)('a document in $name', ({ open }) => {
  it('is kept once where defaults leave it as it was written', async () => {
    const { store } = await open();
    const metrics = [{ type: 'Resource', resource: { name: 'cpu' } }];
    const written = document('a', {
      value: { spec: { metrics } },
      document: { spec: { metrics: structuredClone(metrics), minReplicas: 1 } },
    });
    await store.save({
      state: state('policies', 'one'),
      revision: null,
      put: [written],
      end: [],
      time: at(1),
    });
    const found = documentsOf(await store.loadInForce('policies'));
    expect(found).toEqual([written]);
    expect(specOf(found[0]?.document)['metrics']).toBe(specOf(found[0]?.value)['metrics']);
  });
});

function specOf(document: JsonObject | null | undefined): JsonObject {
  return (document?.['spec'] ?? {}) as JsonObject;
}

interface OpenStore {
  readonly store: RevisionStorePort;
  readonly database: LedgerDatabase;
}

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function openSqlite(): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-revisions-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return openStore(`sqlite:${join(folder, 'ledger.db')}`);
}

let server: ReturnType<typeof startPostgres> | undefined;
let created = 0;

async function openPostgres(): Promise<OpenStore> {
  if (server === undefined) {
    server = startPostgres();
    closers.push(async () => (await server)?.stop());
  }
  return openStore(await (await server).createDatabase(`revisions${(created += 1)}`));
}

async function openStore(url: string): Promise<OpenStore> {
  const database = await openLedgerDatabase({ url: await migratedAhead(url) });
  closers.push(() => database.close());
  const fence = await takeFence(database.fences, { scope: sourceScope('policies') });
  return { store: new SqlRevisionStore(database.sql, new HeldFences([fence])), database };
}
