import { describe, expect, it } from '@jest/globals';
import type { Intervention } from '#decision';
import type { InterventionScope } from '#ledger';
import { interventionActions, interventionArguments, recordedIntervention } from './recorded-intervention.ts';

const time = '2026-11-24T10:00:00.000Z';
const terms = { actor: 'ann', reason: 'a sale', since: time, expires: '2026-11-24T11:00:00.000Z' };
const scopes: readonly InterventionScope[] = [
  { kind: 'Policy', namespace: 'shop', name: 'web' },
  { kind: 'Namespace', namespace: 'shop' },
  { kind: 'Source', source: 'policies' },
  { kind: 'MetricSource', metricSource: 'prometheus/main' },
  { kind: 'Cluster' },
];
const interventions: readonly Intervention[] = [
  { kind: 'Suspend', direction: 'Down', ...terms },
  { kind: 'Override', minReplicas: 3, maxReplicas: 9, ...terms },
  { kind: 'Override', replicas: 0, ...terms },
  { kind: 'DryRun', ...terms },
];

describe('an intervention that the ledger tells of', () => {
  it.each(scopes.flatMap((scope) => interventions.map((intervention) => ({ scope, intervention }))))(
    'is what was recorded: $intervention.kind of $scope.kind',
    ({ scope, intervention }) => {
      const standing = { id: 'one', scope, intervention };
      const { begin, end } = interventionActions[intervention.kind];
      const payload = { actor: 'ann', reason: 'a sale', arguments: interventionArguments(standing) };
      expect([
        recordedIntervention({ ...payload, action: begin, outcome: 'Forced' }, time),
        recordedIntervention({ ...payload, action: end, outcome: 'Accepted' }, time),
      ]).toEqual([
        { what: 'Begun', standing },
        { what: 'Ended', standing },
      ]);
    },
  );

  it('says what it was forced against', () => {
    const standing = {
      id: 'one',
      scope: { kind: 'Cluster' },
      intervention: { kind: 'DryRun', ...terms },
    } as const;
    const against = ['guardrail bounds: no more than 20', 'limits of tenant shop: no more than 10'];
    const action = { action: 'StartDryRun', outcome: 'Forced', actor: 'ann', reason: 'a sale' } as const;
    const given = { ...action, arguments: interventionArguments(standing) };
    expect(
      recordedIntervention({ ...given, effect: { summary: 'a dry run', against } }, time)?.standing,
    ).toEqual({
      ...standing,
      against,
    });
  });

  it.each([
    { name: 'was refused', payload: { action: 'StartDryRun', outcome: 'Refused' as const } },
    { name: 'is no intervention', payload: { action: 'SyncNow', outcome: 'Accepted' as const } },
    {
      name: 'names no id',
      payload: { action: 'StartDryRun', outcome: 'Accepted' as const, arguments: { scope: 'Cluster' } },
    },
    {
      name: 'names no scope that is known',
      payload: {
        action: 'StartDryRun',
        outcome: 'Accepted' as const,
        arguments: { id: 'one', scope: 'Planet', expires: time },
      },
    },
  ])('is none where the action $name', ({ payload }) => {
    const given = { actor: 'ann', reason: null, arguments: { id: 'one', scope: 'Cluster', expires: time } };
    expect(recordedIntervention({ ...given, ...payload }, time)).toBeNull();
  });
});
