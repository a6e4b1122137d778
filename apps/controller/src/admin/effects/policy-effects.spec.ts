import { describe, expect, it } from '@jest/globals';
import type { Intervention } from '#decision';
import { canonicalJson, type Json, runSteps } from '#kernel';
import { sha256Hex } from '#ledger';
import type { BehaviorRules, EffectivePolicy } from '#policy';
import { anActivePolicy } from '#reconciliation/testing';
import { effectInSteps, interventionEffect, toldEffects } from './policy-effects.ts';

const time = '2026-11-20T12:00:00Z';
const expires = '2026-11-20T13:00:00Z';
const actor = 'ada';
const none: BehaviorRules = { isSet: false, scaleUp: {}, scaleDown: {} };
const own: BehaviorRules = { isSet: true, scaleUp: {}, scaleDown: {} };
const windows = { windowsInForce: () => [] };

const stop = (direction: 'Up' | 'Down' | 'Both'): Intervention => ({
  kind: 'Suspend',
  direction,
  actor,
  expires,
});
const pin = (replicas: number): Intervention => ({ kind: 'Override', replicas, actor, expires });

const corrects =
  'a suspension by ada: the native controller still corrects a count outside minimum and maximum';
const approximates: unknown = expect.stringContaining('limited to 3 pods or 100 % within 15 s');
const atMostOne = 'a pin of 0 replicas is rendered as at most 1';

interface Case {
  readonly name: string;
  readonly policy?: Partial<EffectivePolicy>;
  readonly begins: Intervention;
  readonly present?: number;
  readonly want: { readonly replicas: number | null; readonly notes: readonly unknown[] };
}

const cases: readonly Case[] = [
  {
    name: 'a stop of one direction without behavior says what the other one is rendered as',
    policy: { behavior: none },
    begins: stop('Down'),
    want: { replicas: 4, notes: [corrects, approximates] },
  },
  {
    name: 'a stop of scaling up without behavior changes nothing of scaling down',
    policy: { behavior: none },
    begins: stop('Up'),
    want: { replicas: 4, notes: [corrects] },
  },
  {
    name: 'a stop of a policy with behavior says that bounds are still corrected',
    policy: { behavior: own },
    begins: stop('Down'),
    want: { replicas: 4, notes: [corrects] },
  },
  {
    name: 'a stop does not keep a native count that is out of bounds',
    policy: { behavior: own },
    begins: stop('Both'),
    present: 12,
    want: { replicas: 10, notes: [corrects] },
  },
  {
    name: 'a pin of 0 comes to 1, and says so',
    policy: { minReplicas: 0 },
    begins: pin(0),
    want: { replicas: 1, notes: [atMostOne] },
  },
  {
    name: 'a pin of 0 of a target that is at 0 leaves it there',
    policy: { minReplicas: 0 },
    begins: pin(0),
    present: 0,
    want: { replicas: 0, notes: [atMostOne, 'the target is at 0 replicas: a paused target stays paused'] },
  },
  {
    name: 'a pin that is no 0 says nothing',
    begins: pin(6),
    want: { replicas: 6, notes: [] },
  },
  {
    name: 'a policy that is carried out by scale has nothing rendered',
    policy: { actuation: 'Scale', behavior: none, minReplicas: 0 },
    begins: pin(0),
    want: { replicas: 0, notes: [] },
  },
  {
    name: 'a disabled policy has nothing rendered',
    policy: { enabled: false, behavior: none },
    begins: stop('Down'),
    want: { replicas: 4, notes: ['the policy is disabled: nothing scales it'] },
  },
];

describe('interventionEffect of a rendered policy', () => {
  it.each(cases)('$name', ({ policy, begins, present = 4, want }) => {
    const active = anActivePolicy({ actuation: 'HorizontalPodAutoscaler', minReplicas: 2, ...policy });
    const change = { active, before: [], after: [begins], present };
    const { then, notes } = interventionEffect(change, time, windows);
    expect({ replicas: then?.replicas, notes }).toEqual(want);
  });
});

describe('the effect of an action', () => {
  const effects = Array.from({ length: 1_000 }, (_, index) =>
    interventionEffect(
      {
        active: anActivePolicy({ name: `web-${999 - index}` }),
        before: [],
        after: [stop('Both')],
        present: 4,
      },
      time,
      windows,
    ),
  );
  const action = {
    ...{
      action: 'SuspendScaling' as const,
      summary: 'no scaling',
      problems: [],
      standing: [],
      until: expires,
    },
    requires: { role: 'operator', confirm: false, force: false },
    ...{ effects, changes: [], changed: 0 },
  } as const;
  const asked = { scope: { kind: 'Cluster' } };

  it('is signed a policy per step, by the canonical form of all of it', () => {
    const effect = runSteps(effectInSteps(action, asked));
    const signed = { action: 'SuspendScaling', request: asked, policies: effects.toReversed(), changes: [] };
    expect(effect.digest).toBe(sha256Hex(canonicalJson(JSON.parse(JSON.stringify(signed)) as Json)));
    expect(effect.total).toBe(1_000);
    expect(effect.policies.slice(0, 3).map(({ policy }) => policy.name)).toEqual(['web-0', 'web-1', 'web-2']);
    const steps = effectInSteps(action, asked);
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).toBeGreaterThan(effects.length);
  });
});

describe('overrides that cross', () => {
  const sale: Intervention = { kind: 'Override', minReplicas: 10, actor: 'demo', reason: 'sale', expires };
  const cost: Intervention = { kind: 'Override', maxReplicas: 5, actor: 'ann', reason: 'cost', expires };
  const active = anActivePolicy({ minReplicas: 4, maxReplicas: 20, actuation: 'Scale' });
  const effectOf = (before: readonly Intervention[], begins: Intervention) =>
    interventionEffect({ active, before, after: [...before, begins], present: 10 }, time, windows);

  it('say which of them gives way, and what comes of the count', () => {
    const effect = effectOf([sale], cost);
    expect(effect.notes).toEqual(['the minimum of 10 by demo (sale) gives way to 5']);
    const { namespace, name } = active.policy;
    expect(toldEffects([effect])[0]).toBe(
      `${namespace}/${name}: bounds 10 to 20 → 5 to 5, count 10 → 5; the minimum of 10 by demo (sale) gives way to 5`,
    );
  });

  const begins: readonly {
    readonly name: string;
    readonly before?: readonly Intervention[];
    readonly given: Intervention;
    readonly want: string;
  }[] = [
    { name: 'a stop', given: stop('Down'), want: 'no scaling down' },
    { name: 'a wider stop', before: [stop('Down')], given: stop('Both'), want: 'no scaling' },
    {
      name: 'a stop that stands already',
      before: [stop('Both')],
      given: stop('Up'),
      want: 'no scaling as before',
    },
    {
      name: 'a dry run',
      given: { kind: 'DryRun', actor: 'ann', reason: 'a trial', expires },
      want: 'nothing is written',
    },
  ];
  it.each(begins)('are told with what does not happen: $name', ({ before = [], given, want }) => {
    const { namespace, name } = active.policy;
    expect(toldEffects([effectOf(before, given)])).toEqual([
      `${namespace}/${name}: ${want}, bounds 4 to 20 as before, count 10 as before`,
    ]);
  });

  it('say nothing where both are in force', () => {
    expect(toldEffects([effectOf([sale], { ...cost, maxReplicas: 12 })])[0]).toMatch(
      /: bounds 10 to 20 → 10 to 12, count 10 as before$/,
    );
  });
});
