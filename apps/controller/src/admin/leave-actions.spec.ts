import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { anActivePolicy, FakeClock } from '#reconciliation/testing';
import { grantEverywhere } from '../auth/principal.ts';
import { ActionGate } from './action-gate.ts';
import { LeaveActions } from './leave-actions.ts';
import { LeaveCandidates } from './leave-candidates.ts';

const retired = 'the configuration no longer names old: its policies leave once its hold is approved';
const policies = [
  { source: 'old', active: anActivePolicy({ namespace: 'shop', name: 'kept' }) },
  { source: 'policies', active: anActivePolicy({ namespace: 'shop', name: 'web' }) },
];

it('leaves all but the policies of a source that is no longer configured, and says what those wait for', async () => {
  const ledger = new InMemoryLedger();
  const clock = new FakeClock();
  const left: string[] = [];
  const actions = new LeaveActions({
    sources: {
      leave: (source) =>
        source === 'old'
          ? Promise.reject(new AdapterError({ code: 'SourceRetired', message: retired, retryable: false }))
          : Promise.resolve({
              ...{ source, result: 'active', commit: null, message: '', diagnostics: [], holds: [] },
            }),
    },
    interventions: { list: () => [], end: () => Promise.resolve(null) },
    candidates: new LeaveCandidates({
      sources: { listSources: () => [], listVersions: () => Promise.resolve([]) },
      activePolicies: {
        listActivePolicies: () =>
          policies.map(({ source, active }) => ({ ...active, origin: { ...active.origin, source } })),
      },
    }),
    targets: {
      leave: (candidates) => {
        left.push(...candidates.map(({ key }) => key));
        return Promise.resolve(
          new Map(candidates.map(({ key }) => [key, { kind: 'Done', message: 'left' } as const])),
        );
      },
    },
    gate: new ActionGate({
      fences: { role: 'active', isLeader: true },
      refusals: { record: () => Promise.resolve() },
    }),
    writer: new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' }),
    clock,
  });
  const principal = { name: 'root', grants: grantEverywhere('admin') };
  const request = { principal, to: 'None', reason: 'we leave' } as const;
  const { effect } = await actions.leave({ ...request, dryRun: true });
  const { result } = await actions.leave({ ...request, confirm: effect.digest });
  expect(result).toEqual({
    policies: [
      { policy: { namespace: 'shop', name: 'kept' }, result: 'Blocked', message: retired },
      { policy: { namespace: 'shop', name: 'web' }, result: 'Done', message: 'left' },
    ],
    waiting: 0,
    endedInterventions: 0,
  });
  expect(left).toEqual(['shop/web']);
});
