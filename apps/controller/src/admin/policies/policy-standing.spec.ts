import { describe, expect, it } from '@jest/globals';
import type { Intervention, ObservedWindow } from '#decision';
import { anActivePolicy, FakeWindows } from '#reconciliation/testing';
import { holdEffect } from '#repository';
import type { PolicyReport } from './policy-reports.ts';
import { type PolicyStanding, PolicyStandings, type StandingContext } from './policy-standing.ts';

const now = '2026-11-22T03:00:00Z';
const since = '2026-11-22T02:00:00Z';
const until = '2026-11-22T05:00:00Z';
const night: ObservedWindow = {
  kind: 'Schedule',
  name: 'night',
  minReplicas: 4,
  maxReplicas: 6,
  since,
  until,
};
const freeze: ObservedWindow = { kind: 'Freeze', name: 'release', direction: 'Down', since, until };
const pin: Intervention = {
  kind: 'Override',
  ...{ minReplicas: 5, maxReplicas: 5, replicas: 5 },
  ...{ actor: 'ann', reason: 'a sale', since, expires: until },
};

const active = anActivePolicy({ minReplicas: 2, maxReplicas: 10 });

const unchanged = { kind: 'Done', reason: 'Unchanged', message: '' } as const;

function standing(
  replicas: number,
  { windows = [], interventions = [], holds = [], conditions = [], outcome = unchanged }: Partial<Given> = {},
): Pick<PolicyStanding, 'inForce' | 'windows' | 'holds'> & { readonly states: readonly string[] } {
  const fake = new FakeWindows();
  fake.windows = windows;
  const { namespace, name } = active.policy;
  const standings = new PolicyStandings({
    sources: [{ name: 'policies', staleSince: null, holds, partialHolds: [] }],
    interventions: interventions.map((intervention, index) => ({
      id: String(index),
      scope: { kind: 'Policy', namespace, name },
      intervention,
    })),
    modeOf: () => 'Act',
    rejected: { of: () => null },
    windows: fake,
    now,
  });
  const report: PolicyReport = {
    outcome,
    time: now,
    evaluatedBy: 'ThisReplica',
    shard: 0,
    scale: { specReplicas: replicas, statusReplicas: replicas },
    conditions,
    proposedReplicas: 8,
    isFallback: false,
    decided: null,
  };
  const { states, ...rest } = standings.of(active, report);
  return { ...rest, states: [...states] };
}

interface Given {
  readonly holds: StandingContext['sources'][number]['holds'];
  readonly windows: readonly ObservedWindow[];
  readonly interventions: readonly Intervention[];
  readonly conditions: PolicyReport['conditions'];
  readonly outcome: PolicyReport['outcome'];
}

describe('how a policy stands', () => {
  it('is within its own bounds where nothing replaces them', () => {
    expect(standing(6)).toMatchObject({
      states: [],
      windows: [],
      inForce: { minReplicas: 2, maxReplicas: 10, pin: null, stopped: 'None' },
    });
  });

  it('is within the bounds of a schedule while that lasts, and at its maximum there', () => {
    expect(standing(6, { windows: [night] })).toMatchObject({
      states: ['AtMaximum', 'Short', 'Scheduled'],
      windows: [{ ...night, direction: null }],
      inForce: { minReplicas: 4, maxReplicas: 6 },
    });
  });

  it('says which direction a freeze stops', () => {
    expect(standing(6, { windows: [freeze] })).toMatchObject({
      states: ['Frozen'],
      windows: [{ ...freeze, minReplicas: null, maxReplicas: null }],
      inForce: { minReplicas: 2, maxReplicas: 10, stopped: 'Down' },
    });
  });

  it('is held once by a hold that gives it another target', () => {
    const { policy } = active;
    const moved = { ...policy, target: { ...policy.target, name: 'elsewhere' } };
    const hold = {
      ...{
        digest: 'd',
        scope: { kind: 'Source' as const },
        commit: 'c',
        since: now,
        causes: [],
        isRejected: false,
      },
      effect: holdEffect([{ before: policy }, { after: moved }]),
    };
    expect(standing(6, { holds: [hold] })).toMatchObject({
      states: ['Held'],
      holds: [{ source: 'policies', hold }],
    });
  });

  it.each([
    { reason: 'ProgressDeadlineExceeded', status: 'True' as const, states: ['Overdue'] },
    { reason: 'AsExpected', status: 'False' as const, states: [] },
    // A state of its own says so.
    { reason: 'Contested', status: 'True' as const, states: [] },
  ])('is said to be $states where Degraded is $status for $reason', ({ reason, status, states }) => {
    const degraded = { type: 'Degraded', status, reason, message: '', lastTransitionTime: since } as const;
    expect(standing(6, { conditions: [degraded] })).toMatchObject({ states });
  });

  it.each([
    { kind: 'Done' as const, states: [] },
    { kind: 'Waiting' as const, states: ['Waiting'] },
    { kind: 'Stalled' as const, states: ['Failing'] },
  ])('is said to be $states where its latest pass ended $kind', ({ kind, states }) => {
    expect(standing(6, { outcome: { kind, reason: 'FailedGetExternalMetric', message: '' } })).toMatchObject({
      states,
    });
  });

  it('is within the bounds of an override, which outranks a schedule', () => {
    expect(standing(5, { windows: [night], interventions: [pin] })).toMatchObject({
      states: ['AtMaximum', 'Short', 'Overridden', 'Scheduled'],
      inForce: { minReplicas: 5, maxReplicas: 5, pin: 5 },
    });
  });
});
