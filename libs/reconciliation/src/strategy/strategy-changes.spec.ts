import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from '#decision';
import type { RecordedStrategy } from '#ledger';
import type { EffectivePolicy, MetricSpec } from '#policy';
import { anActivePolicy } from '../testing/a-policy.ts';
import { firstVersion, nextVersion } from './policy-strategy.ts';
import { nothingRecorded, strategyChangesOf } from './strategy-changes.ts';

const off = {
  ...defaultSettings,
  featureGates: { ...defaultSettings.featureGates, SelectionStrategy: false },
};
const recorded: RecordedStrategy = {
  selectionStrategy: 'LabelSelector',
  writtenSelectionStrategy: 'LabelSelector',
  actuation: 'Scale',
  algorithm: 'AverageValue',
  enabled: 'true',
  restoreReplicas: null,
  targetUid: 'u',
  hpa: null,
};
const byOwner = { selectionStrategy: 'OwnerReference' } as const;
const recordedByOwner = { ...recorded, ...byOwner, writtenSelectionStrategy: 'OwnerReference' };

const value: MetricSpec = {
  type: 'External',
  metric: { name: 'queue' },
  target: { type: 'AverageValue', averageValueMilli: 1_000n },
  targetDocument: { type: 'AverageValue', averageValue: '1' },
};
const watermark = (algorithm: 'absolute' | 'average'): MetricSpec => ({
  type: 'External',
  metric: { name: 'queue' },
  target: { type: 'Watermark', lowMilli: 1_000n, highMilli: 2_000n, algorithm, toleranceMilli: 0 },
  targetDocument: { type: 'Watermark', lowWatermark: '1', highWatermark: '2', algorithm },
});

interface Row {
  readonly name: string;
  readonly before: RecordedStrategy;
  readonly policy?: Partial<EffectivePolicy>;
  /** What the pass asked for; null: a disabled pass. */
  readonly requested?: string | null;
  readonly isGateOff?: true;
  readonly want: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'tells the first selection',
    before: nothingRecorded,
    want: ['selectionStrategy null → LabelSelector by commit'],
  },
  {
    name: 'tells no selection of a policy that is new and disabled',
    before: nothingRecorded,
    policy: { enabled: false },
    requested: null,
    want: [],
  },
  {
    name: 'tells the first selection when a new policy is enabled at last',
    before: { ...recorded, selectionStrategy: null, writtenSelectionStrategy: null, enabled: 'false' },
    want: ['selectionStrategy null → LabelSelector by commit', 'enabled false → true by commit'],
  },
  { name: 'says nothing where nothing differs', before: recorded, want: [] },
  { name: 'leaves bounds to PolicyChange', before: recorded, policy: { maxReplicas: 12 }, want: [] },
  {
    name: 'tells another selection',
    before: recorded,
    policy: byOwner,
    requested: 'OwnerReference',
    want: ['selectionStrategy LabelSelector → OwnerReference by commit'],
  },
  {
    name: 'names no commit where the gate was closed',
    before: recordedByOwner,
    policy: byOwner,
    isGateOff: true,
    want: ['selectionStrategy OwnerReference → LabelSelector by settings'],
  },
  {
    name: 'names no commit where the gate was opened',
    before: { ...recordedByOwner, selectionStrategy: 'LabelSelector' },
    policy: byOwner,
    requested: 'OwnerReference',
    want: ['selectionStrategy LabelSelector → OwnerReference by settings'],
  },
  {
    name: 'names the commit where both the gate and the policy changed',
    before: recorded,
    policy: byOwner,
    requested: 'OwnerReference',
    want: ['selectionStrategy LabelSelector → OwnerReference by commit'],
  },
  {
    name: 'says nothing of a selection that the gate keeps from acting',
    before: recorded,
    policy: byOwner,
    isGateOff: true,
    want: [],
  },
  {
    name: 'leaves the selection of a disabled policy until it selects again',
    before: recorded,
    policy: { ...byOwner, enabled: false },
    want: ['enabled true → false by commit'],
  },
  {
    name: 'names a change of actuation',
    before: recorded,
    policy: { actuation: 'HorizontalPodAutoscaler' },
    want: ['actuation Scale → HorizontalPodAutoscaler by commit'],
  },
  {
    name: 'names a change of algorithm',
    before: { ...recorded, algorithm: 'absolute' },
    policy: { metrics: [watermark('average')] },
    want: ['algorithm absolute → average by commit'],
  },
  {
    name: 'names algorithms that differ one by one',
    before: recorded,
    policy: { metrics: [watermark('average'), value] },
    want: ['algorithm AverageValue → average, AverageValue by commit'],
  },
  {
    name: 'takes another metric of the same algorithm for no change of it',
    before: recorded,
    policy: { metrics: [value, value] },
    want: [],
  },
  {
    name: 'says nothing of what an older release did not record',
    before: { ...nothingRecorded, selectionStrategy: 'LabelSelector' },
    want: [],
  },
];

describe('strategyChangesOf', () => {
  it.each(rows)('$name', ({ before, policy = {}, requested = 'LabelSelector', isGateOff, want }) => {
    const { changes } = strategyChangesOf({
      recorded: before,
      version: firstVersion(anActivePolicy(policy)),
      requested,
      settings: isGateOff === true ? off : defaultSettings,
      targetUid: 'u',
      mode: 'Act',
    });
    expect(
      changes.map(
        ({ field, before: from, after, commit }) =>
          `${field} ${String(from)} → ${after} by ${commit === null ? 'settings' : 'commit'}`,
      ),
    ).toEqual(want);
  });

  it('records what it derived, so that it derives nothing again', () => {
    const version = firstVersion(anActivePolicy({ ...byOwner, enabled: true }));
    const requested = 'OwnerReference';
    const derived = strategyChangesOf({
      recorded,
      version,
      requested,
      settings: defaultSettings,
      targetUid: 'u',
      mode: 'Act',
    });
    expect(derived.recorded).toEqual(recordedByOwner);
    const again = {
      recorded: derived.recorded,
      version,
      requested,
      settings: defaultSettings,
      targetUid: 'u',
      mode: 'Act',
    } as const;
    expect(strategyChangesOf(again).changes).toEqual([]);
  });

  it('remembers who wrote the selection of a disabled policy', () => {
    const version = firstVersion(anActivePolicy({ ...byOwner, enabled: false }));
    const derived = strategyChangesOf({
      recorded,
      version,
      requested: 'LabelSelector',
      settings: defaultSettings,
      targetUid: 'u',
      mode: 'Act',
    });
    expect(derived.recorded).toEqual({ ...recorded, enabled: 'false' });
  });
});

describe('the count that a disabled policy restores', () => {
  const disabled = { enabled: false, replicas: 2 } as const;
  const isRestoring = { ...recorded, enabled: 'false', restoreReplicas: 2 };

  it.each<{
    name: string;
    before: RecordedStrategy;
    policy: Partial<EffectivePolicy>;
    mode?: 'Act' | 'Observe';
    targetUid?: string | null;
    want: number | null;
  }>([
    { name: 'is set by the change', before: recorded, policy: disabled, want: 2 },
    { name: 'stays until it is restored', before: isRestoring, policy: disabled, want: 2 },
    { name: 'is not changed later', before: isRestoring, policy: { ...disabled, replicas: 7 }, want: 2 },
    {
      name: 'is not set later',
      before: { ...recorded, enabled: 'false' },
      policy: { ...disabled, replicas: 7 },
      want: null,
    },
    { name: 'is none where the policy names none', before: recorded, policy: { enabled: false }, want: null },
    {
      name: 'is none where the policy comes in disabled',
      before: nothingRecorded,
      policy: disabled,
      want: null,
    },
    { name: 'is none in a dry run', before: recorded, policy: { ...disabled, dryRun: true }, want: null },
    { name: 'is none in mode Observe', before: recorded, policy: disabled, mode: 'Observe', want: null },
    {
      name: 'is given up on another target',
      before: isRestoring,
      policy: { enabled: false, replicas: 2 },
      targetUid: 'other',
      want: null,
    },
    {
      name: 'is not set on a target that the policy was never carried out on',
      before: recorded,
      policy: { enabled: false, replicas: 2 },
      targetUid: 'other',
      want: null,
    },
    {
      name: 'stays while the target cannot be read',
      before: isRestoring,
      policy: { enabled: false, replicas: 2 },
      targetUid: null,
      want: 2,
    },
    {
      name: 'is given up when the policy is enabled',
      before: isRestoring,
      policy: { replicas: 2 },
      want: null,
    },
  ])('$name', ({ before, policy, mode = 'Act', targetUid = 'u', want }) => {
    const version = firstVersion(anActivePolicy(policy));
    const requested = 'LabelSelector';
    const settings = defaultSettings;
    const input = { recorded: before, version, requested, settings, targetUid, mode };
    expect(strategyChangesOf(input).recorded.restoreReplicas).toBe(want);
  });
});

describe('a version in force', () => {
  const version = (changes: Partial<EffectivePolicy>, hash: string) => {
    const active = anActivePolicy(changes);
    return { ...active, origin: { ...active.origin, commit: { ...active.origin.commit, hash } } };
  };

  it('keeps the commit of each part that later versions leave alone', () => {
    const first = firstVersion(version({}, 'one'));
    const second = nextVersion(first, version(byOwner, 'two'));
    const third = nextVersion(second, version({ ...byOwner, maxReplicas: 20 }, 'three'));
    expect(third.active.origin.commit.hash).toBe('three');
    expect(third.strategyCommits).toMatchObject({
      selectionStrategy: { hash: 'two' },
      actuation: { hash: 'one' },
      enabled: { hash: 'one' },
    });
    expect(third.strategyCommits).toBe(second.strategyCommits);
  });
});
