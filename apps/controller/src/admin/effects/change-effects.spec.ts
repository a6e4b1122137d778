import { describe, expect, it } from '@jest/globals';
import type { Intervention } from '#decision';
import type { StandingIntervention } from '#ledger';
import type { EffectivePolicy } from '#policy';
import { type ActivePolicy, type ControllerMode, isInScope } from '#reconciliation';
import { anActivePolicy, FakeClock, FakeWindows } from '#reconciliation/testing';
import { holdEffect } from '#repository';
import { ChangeEffects } from './change-effects.ts';

const now = '2026-11-21T12:00:00Z';

/** Effects of documents that replace those in force. */
function describedEffects(
  differences: readonly { readonly active?: ActivePolicy; readonly after?: EffectivePolicy }[],
  {
    present = {},
    standing = [],
    keepsHpa,
    mode = 'Act',
  }: {
    readonly present?: Readonly<Record<string, number>>;
    readonly standing?: readonly StandingIntervention[];
    /** Of all that leave. */
    readonly keepsHpa?: boolean;
    readonly mode?: ControllerMode;
  } = {},
) {
  const active = differences.flatMap((each) => each.active ?? []);
  const changes = new ChangeEffects({
    activePolicies: { listActivePolicies: () => active },
    interventions: {
      list: () => standing,
      actingOn: (policy) =>
        standing
          .filter(({ scope }) => isInScope(scope, policy))
          .map(({ intervention }): Intervention => intervention),
    },
    reports: {
      presentAt: ({ policy }) => present[policy.target.name] ?? null,
      presentOf: ({ policy }) => present[policy.name] ?? null,
    },
    windows: new FakeWindows(),
    clock: new FakeClock(now),
    modes: { now: () => () => mode },
  });
  const effect = holdEffect(
    differences.map((each) => ({
      ...(each.active === undefined ? {} : { before: each.active.policy }),
      ...(each.after === undefined
        ? { ...(keepsHpa === undefined ? {} : { keepsHpa }) }
        : { after: each.after }),
    })),
  );
  const effects = changes.of('fleet', effect);
  return { effects, standing: changes.standingFor(effect), later: changes.laterOf('fleet', effect) };
}

function effectsOf(...given: Parameters<typeof describedEffects>) {
  return describedEffects(...given).effects;
}

const checkout = anActivePolicy({
  name: 'checkout',
  minReplicas: 2,
  maxReplicas: 20,
  labels: { team: 'till' },
});
const lowered = { ...checkout.policy, maxReplicas: 5 };

describe('what a commit does to policies', () => {
  it('brings the present count within the new bounds', () => {
    expect(effectsOf([{ active: checkout, after: lowered }], { present: { checkout: 14 } })).toMatchObject([
      {
        policy: { namespace: 'shop', name: 'checkout' },
        target: { kind: 'Deployment', name: 'checkout' },
        labels: { team: 'till' },
        present: 14,
        changes: ['maxReplicas 20 → 5'],
        now: { minReplicas: 2, maxReplicas: 20, replicas: 14 },
        then: { minReplicas: 2, maxReplicas: 5, replicas: 5 },
        direction: 'Down',
        notes: [],
        later: [],
      },
    ]);
  });

  it('says nothing of a count that is not known', () => {
    expect(effectsOf([{ active: checkout, after: lowered }])).toMatchObject([
      {
        present: null,
        then: { replicas: null },
        direction: 'Unknown',
        notes: [],
      },
    ]);
  });

  it('keeps a count that a suspension of its namespace stops, of policies in force and of new ones', () => {
    const intervention = { kind: 'Suspend', direction: 'Both', expires: '2026-11-21T13:00:00Z' } as const;
    const standing = [{ id: 'one', scope: { kind: 'Namespace', namespace: 'shop' }, intervention }] as const;
    const search = { ...anActivePolicy({ name: 'search', maxReplicas: 3 }).policy };
    const given = { present: { checkout: 14, search: 7 }, standing };
    expect(effectsOf([{ active: checkout, after: lowered }, { after: search }], given)).toMatchObject([
      { then: { stopped: 'Both', replicas: 14 }, direction: 'None' },
      { now: null, present: 7, then: { stopped: 'Both', replicas: 7 }, direction: 'None' },
    ]);
    const ended = [{ ...standing[0], intervention: { ...intervention, expires: now } }];
    expect(effectsOf([{ after: search }], { ...given, standing: ended })).toMatchObject([
      { then: { replicas: 3 }, direction: 'Down' },
    ]);
  });

  describe('while what stops it stands', () => {
    const ann = { actor: 'ann', reason: 'incident 7', expires: '2026-11-21T13:00:00Z' } as const;
    const scope = { kind: 'Policy', namespace: 'shop', name: 'checkout' } as const;
    const down = { id: 'one', scope, intervention: { kind: 'Suspend', direction: 'Down', ...ann } } as const;
    const other = { ...down, id: 'two', scope: { ...scope, name: 'other' } } as const;

    it('says what follows once that ends, and names it among what stands', () => {
      const given = { present: { checkout: 14 }, standing: [down, other] };
      expect(describedEffects([{ active: checkout, after: lowered }], given)).toMatchObject({
        effects: [
          {
            then: { replicas: 14 },
            direction: 'None',
            notes: ['14 → 5 when the suspension by ann ends, 2026-11-21T13:00:00Z'],
            later: ['14 → 5 when the suspension by ann ends, 2026-11-21T13:00:00Z'],
          },
        ],
        later: ['shop/checkout: 14 → 5 when the suspension by ann ends, 2026-11-21T13:00:00Z'],
        standing: [{ id: 'one' }],
      });
    });

    const notes: readonly {
      readonly name: string;
      readonly standing: readonly StandingIntervention[];
      readonly after?: EffectivePolicy;
      readonly present?: number;
      readonly want: readonly string[];
    }[] = [
      {
        name: 'nothing where the count would go there without the commit',
        standing: [{ id: 'one', scope, intervention: { kind: 'Override', replicas: 2, ...ann } }],
        after: { ...checkout.policy, labels: { team: 'shop' } },
        want: [],
      },
      {
        name: 'an end each, in their order, and none that moves nothing',
        standing: [
          { ...down, id: 'late', intervention: { ...down.intervention, expires: '2026-11-21T15:00:00Z' } },
          { id: 'pin', scope, intervention: { kind: 'Override', minReplicas: 8, maxReplicas: 12, ...ann } },
        ],
        want: ['14 → 5 when the suspension by ann ends, 2026-11-21T15:00:00Z'],
      },
      {
        name: 'an override that keeps the count up',
        standing: [
          { id: 'pin', scope, intervention: { kind: 'Override', minReplicas: 16, maxReplicas: 16, ...ann } },
        ],
        want: ['16 → 5 when the override by ann ends, 2026-11-21T13:00:00Z'],
      },
      { name: 'nothing of a count that is not known', standing: [down], present: -1, want: [] },
    ];
    it.each(notes)('says $name', ({ standing, after = lowered, present = 14, want }) => {
      const known = present < 0 ? {} : { checkout: present };
      const [effect] = effectsOf([{ active: checkout, after }], { present: known, standing });
      expect(effect?.notes).toEqual(want);
    });
  });

  it('restores the count that a document names which disables its policy', () => {
    const disabled = { ...checkout.policy, enabled: false, replicas: 4 };
    expect(effectsOf([{ active: checkout, after: disabled }], { present: { checkout: 14 } })).toMatchObject([
      { then: { replicas: 4 }, direction: 'Down', notes: ['the policy is disabled: nothing scales it'] },
    ]);
  });

  it('leaves the count of a policy that goes, and orders names as people count', () => {
    const gone = [10, 2].map((number) => ({ active: anActivePolicy({ name: `extra-${number}` }) }));
    const found = effectsOf(gone, { present: { 'extra-2': 3 } });
    expect(found.map(({ policy }) => policy.name)).toEqual(['extra-2', 'extra-10']);
    expect(found[0]).toMatchObject({ now: { replicas: 3 }, then: null, direction: 'None' });
  });

  it('has of a policy that gets another target the count that runs there', () => {
    const moved = { ...checkout.policy, target: { ...checkout.policy.target, name: 'till' } };
    const found = effectsOf([{ active: checkout }, { after: moved }], { present: { checkout: 14, till: 6 } });
    expect(found.map(({ target, present }) => [target?.name, present])).toEqual([
      ['checkout', 14],
      ['till', 6],
    ]);
  });

  const hpa = anActivePolicy({ name: 'web', actuation: 'HorizontalPodAutoscaler' });
  const gone = 'it leaves: Deployment web keeps its count, and Plimsoll scales it no more';
  const deleted =
    'it leaves: its HPA shop/web is deleted, Deployment web keeps its count, and Plimsoll scales it no more';
  const kept =
    'it leaves: its HPA shop/web stays and goes on scaling the target, and Plimsoll changes neither';

  it.each([
    { name: 'whose HPA goes', active: hpa, given: { keepsHpa: false }, note: deleted },
    { name: 'that keeps its HPA', active: hpa, given: { keepsHpa: true }, note: kept },
    { name: 'of which that is not known', active: hpa, given: {}, note: gone },
    {
      name: 'of a controller that observes',
      active: hpa,
      given: { keepsHpa: false, mode: 'Observe' },
      note: gone,
    },
    {
      name: 'that is a dry run',
      active: anActivePolicy({ name: 'web', actuation: 'HorizontalPodAutoscaler', dryRun: true }),
      given: { keepsHpa: false },
      note: gone,
    },
    {
      name: 'without an HPA',
      active: anActivePolicy({ name: 'web' }),
      given: { keepsHpa: false },
      note: gone,
    },
  ] as const)('says what becomes of the HPA of a policy that goes: one $name', ({ active, given, note }) => {
    expect(effectsOf([{ active }], given)).toMatchObject([{ notes: [note] }]);
  });

  it('of a hold of an earlier release is not known', () => {
    const { changes: left, ...earlier } = holdEffect([{ before: checkout.policy }]);
    expect(left).toHaveLength(1);
    const none = new ChangeEffects({
      activePolicies: { listActivePolicies: () => [] },
      interventions: { list: () => [], actingOn: () => [] },
      reports: { presentAt: () => null, presentOf: () => null },
      windows: new FakeWindows(),
      clock: new FakeClock(now),
      modes: { now: () => () => 'Act' },
    });
    expect(none.of('fleet', earlier)).toEqual([]);
  });
});
