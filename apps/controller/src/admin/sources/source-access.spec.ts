import { describe, expect, it } from '@jest/globals';
import type { Hold } from '#git-sync';
import type { InterventionScope, StandingIntervention } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { anActivePolicy, FakeWindows } from '#reconciliation/testing';
import { grantEverywhere, type Principal } from '../../auth/callers/principal.ts';
import type { SourceView } from '../../git-sync/source-operations.ts';
import { EarlierActions } from '../actions/earlier-actions.ts';
import { VisibleInterventions } from '../actions/visible-interventions.ts';
import { PolicyStandings } from '../policies/policy-standing.ts';
import { SourceAccess } from './source-access.ts';

const now = '2026-11-22T03:00:00Z';
const shopper: Principal = { name: 'shopper', grants: [{ role: 'approver', namespaces: ['shop'] }] };
const auditor: Principal = { name: 'auditor', grants: grantEverywhere('viewer') };

const origin = anActivePolicy().origin;
const activePolicies = ['shop', 'pay'].map((namespace) => anActivePolicy({ namespace, name: 'web' }));

const aHold = (changes: Partial<Hold>): Hold => ({
  scope: { kind: 'Source' },
  digest: 'd',
  commit: 'c'.repeat(40),
  since: now,
  isRejected: false,
  causes: [{ code: 'BlastRadius', message: '40 targets change', items: ['pay/web'] }],
  effect: {
    ...{ added: 0, changed: 2, removed: 0 },
    policies: ['pay/web changed: maxReplicas 9 → 7', 'shop/web changed: maxReplicas 20 → 5'],
  },
  ...changes,
});

const source = (hold: Hold): SourceView => ({
  name: origin.source,
  isRetired: false,
  url: '',
  ref: '',
  commit: null,
  holds: [hold],
  pin: null,
  released: [],
  lastSync: null,
  staleSince: null,
  unknownApprovers: 'Refused',
});

/** How `shop/web` stands, as a caller is told. */
function standingFor(caller: Principal, hold: Hold): Told {
  const access = new SourceAccess({
    sources: { listSources: () => [source(hold)] },
    activePolicies: { listActivePolicies: () => activePolicies },
  });
  const standings = new PolicyStandings({
    sources: access.list(caller),
    interventions: [],
    modeOf: () => 'Act',
    rejected: { of: () => null },
    windows: new FakeWindows(),
    now,
  });
  const [shop = anActivePolicy()] = activePolicies;
  const { states, holds, notVisibleHolds } = standings.of(shop, undefined);
  return { states: [...states], holds: holds.length, notVisibleHolds };
}

interface Told {
  readonly states: readonly string[];
  readonly holds: number;
  readonly notVisibleHolds: readonly unknown[];
}

const told = {
  source: origin.source,
  commit: 'c'.repeat(40),
  since: now,
  isRejected: false,
  change: 'changed: maxReplicas 20 → 5',
  message: `needs viewer of all namespaces of source ${origin.source}`,
};
const tooMany = { added: 0, changed: 300, removed: 0 };

describe('a policy whose newer version waits with what its caller may not see', () => {
  it.each([
    { name: 'is held', hold: aHold({}), states: ['Held'], want: [told] },
    {
      name: 'is rejected',
      hold: aHold({ isRejected: true }),
      states: ['Rejected'],
      want: [{ ...told, isRejected: true }],
    },
    {
      name: 'is held with its tenant',
      hold: aHold({ scope: { kind: 'Tenant', tenant: 'both' } }),
      states: ['Held'],
      want: [told],
    },
    {
      name: 'is held by one that names some of what it changes',
      hold: aHold({ effect: { ...tooMany, policies: ['shop/web changed: maxReplicas 20 → 5'] } }),
      states: ['Held'],
      want: [{ ...told, message: 'needs viewer of all namespaces' }],
    },
    {
      name: 'may be held by one of its source that does not name all of what it changes',
      hold: aHold({ effect: { ...tooMany, policies: ['pay/web gone'] } }),
      states: [],
      want: [{ ...told, change: null, message: 'needs viewer of all namespaces' }],
    },
    {
      name: 'is not held by what changes others only',
      hold: aHold({ effect: { added: 0, changed: 1, removed: 0, policies: ['pay/web gone'] } }),
      states: [],
      want: [],
    },
  ])('$name, and its caller learns what that does to it alone', ({ hold, states, want }) => {
    expect(standingFor(shopper, hold)).toEqual({ states, holds: 0, notVisibleHolds: want });
  });

  it('is told whole to who may see all of it, once', () => {
    expect(standingFor(auditor, aHold({}))).toEqual({ states: ['Held'], holds: 1, notVisibleHolds: [] });
  });
});

describe('who may end an intervention', () => {
  const access = new SourceAccess({
    sources: { listSources: () => [source(aHold({}))] },
    activePolicies: { listActivePolicies: () => activePolicies },
  });
  const visible = new VisibleInterventions({
    access,
    interventions: { list: () => [] },
    earlier: new EarlierActions({ access, ledger: new InMemoryLedger() }),
  });
  const everywhere: Principal = { name: 'root', grants: grantEverywhere('operator') };
  const both: Principal = { name: 'both', grants: [{ role: 'operator', namespaces: ['shop', 'pay'] }] };
  const own = { kind: 'Policy', namespace: 'shop', name: 'web' } as const;
  const whole = { kind: 'Source', source: origin.source } as const;

  it.each<{ readonly caller: Principal; readonly scope: InterventionScope; readonly mayEnd: boolean }>([
    { caller: shopper, scope: own, mayEnd: true },
    { caller: shopper, scope: { kind: 'Namespace', namespace: 'pay' }, mayEnd: false },
    { caller: shopper, scope: whole, mayEnd: false },
    { caller: both, scope: whole, mayEnd: true },
    { caller: both, scope: { kind: 'Cluster' }, mayEnd: false },
    { caller: auditor, scope: own, mayEnd: false },
    { caller: everywhere, scope: { kind: 'MetricSource', metricSource: 'metrics.k8s.io' }, mayEnd: true },
  ])('of $scope.kind is told to $caller.name: $mayEnd', ({ caller, scope, mayEnd }) => {
    expect(visible.rolesIn(caller, scope).includes('operator')).toBe(mayEnd);
  });
});

describe('an intervention of a source that is gone', () => {
  const access = new SourceAccess({
    sources: { listSources: () => [source(aHold({}))] },
    activePolicies: { listActivePolicies: () => activePolicies },
  });
  const standing: StandingIntervention = {
    id: 'i',
    scope: { kind: 'Source', source: 'renamed' },
    intervention: { kind: 'Suspend', direction: 'Both', expires: '2026-11-22T04:00:00Z' },
  };
  const visible = new VisibleInterventions({
    access,
    interventions: { list: () => [standing] },
    earlier: new EarlierActions({ access, ledger: new InMemoryLedger() }),
  });
  const end = { id: 'i', kind: 'Suspend' } as const;

  it('is seen by whoever sees all there is, and ended by its operators', async () => {
    const everywhere: Principal = { name: 'root', grants: grantEverywhere('operator') };
    expect(visible.list(auditor)).toEqual([standing]);
    expect(visible.list(shopper)).toEqual([]);
    await expect(visible.find(everywhere, end)).resolves.toEqual(standing);
    await expect(visible.find(auditor, end)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(visible.find(shopper, end)).rejects.toMatchObject({ code: 'UnknownIntervention' });
  });

  it('begins for nobody', () => {
    const everywhere: Principal = { name: 'root', grants: grantEverywhere('operator') };
    expect(() => visible.requireOperator(everywhere, standing.scope)).toThrow('no source is named "renamed"');
  });
});
