import { beforeEach, describe, expect, it } from '@jest/globals';
import { maximumStoredReports, type StoredReport } from '#adapter-sql';
import type { Decision } from '#decision';
import { AdapterError, namespacedName } from '#kernel';
import type { PolicyKey } from '#ledger';
import { type ActivePolicy, type PassReport, scaleTargetOf } from '#reconciliation';
import { anActivePolicy, FakeClock, FakeScales } from '#reconciliation/testing';
import { PolicyReports } from './policy-reports.ts';

const own = anActivePolicy({ name: 'own' });
const another = anActivePolicy({ name: 'another' });

const ready = {
  type: 'Ready',
  status: 'False',
  reason: 'Conflict',
  message: 'another autoscaler scales it',
  lastTransitionTime: '2026-11-20T11:00:00.000Z',
} as const;

const aStored = ({ policy: { namespace, name } }: ActivePolicy): StoredReport => ({
  policy: { namespace, name },
  storedAt: '2026-11-20T11:55:00.000Z',
  conditions: [ready],
  replicas: 4,
  proposedReplicas: 12,
  isFallback: true,
});

const expected = {
  outcome: { kind: 'Stalled', reason: 'Conflict', message: 'another autoscaler scales it' },
  time: '2026-11-20T11:55:00.000Z',
  evaluatedBy: 'AnotherReplica',
  shard: 3,
  scale: { specReplicas: 4, statusReplicas: null },
  conditions: [ready],
  proposedReplicas: 12,
  isFallback: true,
  decided: null,
};

let ownPass: Partial<PassReport>;
let stored: Map<string, StoredReport>;
let statements: number[];
let isAway: boolean;
let told: string[];
let clock: FakeClock;
let scales: FakeScales;
let reports: PolicyReports;

beforeEach(() => {
  ownPass = {};
  stored = new Map();
  statements = [];
  isAway = false;
  told = [];
  clock = new FakeClock();
  scales = new FakeScales();
  const read = (policies: readonly PolicyKey[]): Promise<readonly StoredReport[]> => {
    statements.push(policies.length);
    if (isAway) {
      return Promise.reject(
        new AdapterError({ code: 'DatabaseUnavailable', message: 'away', retryable: true }),
      );
    }
    return Promise.resolve(policies.flatMap((policy) => stored.get(namespacedName(policy)) ?? []));
  };
  reports = new PolicyReports({
    statuses: {
      latest: (key) =>
        key === 'shop/own'
          ? {
              key,
              active: own,
              time: '2026-11-20T12:00:00.000Z',
              durationMilliseconds: 1,
              outcome: { kind: 'Done', reason: 'Unchanged', message: 'nothing changes' },
              ready: { type: 'Ready', status: 'True', reason: 'Unchanged', message: 'nothing changes' },
              conditions: [],
              decision: null,
              decisionId: null,
              computationMilliseconds: null,
              lastScaleTime: null,
              scale: null,
              ...ownPass,
            }
          : undefined,
    },
    shards: { holds: ({ name }) => name === 'own' || name === 'begun', shardOf: () => 3 },
    store: { read },
    scales,
    clock,
    logger: {
      warn: (_, message) => void told.push(message),
      info: (_, message) => void told.push(message),
    },
  });
});

describe('the reports of policies', () => {
  it('are those of the passes here, and those that the deciders of all others have stored', async () => {
    stored.set('shop/another', aStored(another));
    const found = await reports.of([own, another]);
    expect(found.get('shop/own')).toMatchObject({ outcome: { kind: 'Done', reason: 'Unchanged' } });
    expect(found.get('shop/another')).toEqual(expected);
    expect(statements).toEqual([1]);
  });

  it('say who evaluates the policy, and so whether their time is that of a pass or of what was recorded', async () => {
    const begun = anActivePolicy({ name: 'begun' });
    for (const each of [another, begun]) stored.set(`shop/${each.policy.name}`, aStored(each));
    const found = await reports.of([own, another, begun]);
    const told = [...found.values()].map(({ evaluatedBy, shard, time }) => [evaluatedBy, shard, time]);
    const recorded = found.get('shop/another')?.time;
    expect(told).toEqual([
      ['ThisReplica', 3, '2026-11-20T12:00:00.000Z'],
      ['AnotherReplica', 3, recorded],
      ['NobodyYet', 3, recorded],
    ]);
  });

  it.each([
    { name: 'the entry that it repeats', recordedAs: 'policy:shop/own#7' },
    { name: 'none where it could not be recorded', recordedAs: null },
  ])('have what a pass here decided, and of the ledger $name', async ({ recordedAs }) => {
    const decision = { metrics: [], selection: { fallback: null } } as unknown as Decision;
    ownPass = { decision, decisionId: recordedAs };
    expect((await reports.of([own])).get('shop/own')?.decided).toEqual({ decision, recordedAs });
  });

  it('have the count of the cluster where a watch knows it', async () => {
    stored.set('shop/another', aStored(another));
    scales.set(scaleTargetOf(another.policy), 7);
    scales.addWatched(scaleTargetOf(another.policy));
    expect((await reports.of([another])).get('shop/another')?.scale).toMatchObject({ specReplicas: 7 });
    expect([reports.presentOf(another), reports.presentOf(anActivePolicy({ name: 'unknown' }))]).toEqual([
      7,
      null,
    ]);
  });

  it('take a statement per thousand, and none for what was read a moment ago', async () => {
    const many = Array.from({ length: 2 * maximumStoredReports + 1 }, (_, index) =>
      anActivePolicy({ name: `app-${index}` }),
    );
    await reports.of(many);
    await reports.of(many);
    expect(statements).toEqual([maximumStoredReports, maximumStoredReports, 1]);
    clock.advance(2_000);
    await reports.of(many.slice(0, 100));
    expect(statements.slice(3)).toEqual([100]);
  });

  it('are none of policies without a pass, and of others while the database is away', async () => {
    expect(await reports.of([another])).toEqual(new Map());
    isAway = true;
    clock.advance(2_000);
    stored.set('shop/another', aStored(another));
    expect([...(await reports.of([own, another])).keys()]).toEqual(['shop/own']);
    isAway = false;
    expect((await reports.of([another])).get('shop/another')).toEqual(expected);
    expect(await reports.known([own.policy, another.policy])).toEqual(new Set(['shop/another']));
  });

  it('are those of before while the database is away, for as long as somebody looks at the policy', async () => {
    stored.set('shop/another', aStored(another));
    await reports.of([another]);
    isAway = true;
    for (let minutes = 0; minutes < 15; minutes += 5) {
      clock.advance(300_000 - 1);
      expect([minutes, (await reports.of([another])).get('shop/another')]).toEqual([minutes, expected]);
    }
    clock.advance(600_000);
    expect(await reports.of([another])).toEqual(new Map());
  });

  it('are asked for once while the database is away, and that is told once', async () => {
    const many = Array.from({ length: 2 * maximumStoredReports }, (_, index) =>
      anActivePolicy({ name: `app-${index}` }),
    );
    isAway = true;
    for (let time = 0; time < 2; time += 1) expect(await reports.of(many)).toEqual(new Map());
    expect(statements).toEqual([maximumStoredReports, maximumStoredReports]);
    expect(told).toEqual(['what other processes reported of policies could not be read']);
    isAway = false;
    await reports.of(many);
    expect(told).toHaveLength(2);
  });
});
