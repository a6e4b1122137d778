import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { SourceState, SourceTurn } from '#git-sync';
import { AdapterError } from '#kernel';
import { LedgerWriter, type StandingIntervention } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import type { LeaveOutcome } from '#reconciliation';
import { anActivePolicy, FakeClock } from '#reconciliation/testing';
import { aSuspension } from '../../../../../test/support/ledger-builders.ts';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { ActionGate } from '../access/action-gate.ts';
import { LeaveActions } from './leave-actions.ts';
import { LeaveCandidates } from './leave-candidates.ts';

const retired = 'the configuration no longer names old: its policies leave once its hold is approved';
const policies = [
  { source: 'old', active: anActivePolicy({ namespace: 'shop', name: 'kept' }) },
  { source: 'policies', active: anActivePolicy({ namespace: 'shop', name: 'web' }) },
];

const request = {
  principal: { name: 'root', grants: grantEverywhere('admin') },
  to: 'None',
  reason: 'we leave',
} as const;

/** Of a source that leaves, but for the one that is retired. */
function aTurn(source: string): SourceTurn {
  const leave: SourceTurn['leave'] = async (_to, _by, save) => {
    if (source === 'old')
      throw new AdapterError({ code: 'SourceRetired', message: retired, retryable: false });
    const state: SourceState = {
      source,
      configuration: {},
      commit: null,
      tenants: {},
      judged: null,
      brakes: {},
    };
    await save?.(state);
    return { source, result: 'active', commit: null, message: '', diagnostics: [], holds: [] };
  };
  return { leave } as Partial<SourceTurn> as SourceTurn;
}

interface Surroundings {
  readonly interventions?: readonly StandingIntervention[];
  readonly whenAsked?: (source: string) => Promise<unknown>;
  readonly outcome?: LeaveOutcome;
  readonly clock?: FakeClock;
  readonly ledger?: InMemoryLedger;
  /** What is foreseen of one policy after the other. */
  readonly rests?: string[];
}

/** Of two policies; the targets of those that leave are in `left`. */
async function someActions(
  left: string[],
  {
    interventions = [],
    whenAsked = () => Promise.resolve(),
    outcome = { kind: 'Done', message: 'left' },
    clock = new FakeClock(),
    ledger = new InMemoryLedger(),
    rests = [],
  }: Surroundings = {},
): Promise<LeaveActions> {
  return new LeaveActions({
    sources: {
      inTurn: async (source, work) => {
        await whenAsked(source);
        return work(aTurn(source));
      },
    },
    interventions: { list: () => interventions, end: () => Promise.resolve(null) },
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
        return Promise.resolve(new Map(candidates.map(({ key }) => [key, outcome])));
      },
    },
    reconciler: {
      foreseeLeave: () => ({ manifest: null, gaps: [], rest: rests.shift() ?? ': its count stays' }),
    },
    gate: new ActionGate({
      fences: { role: 'active', isLeader: true },
      outage: { find: () => null },
      refusals: { record: () => Promise.resolve() },
    }),
    writer: new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' }),
    clock,
  });
}

it('leaves all but the policies of a source that is no longer configured, and says what those wait for', async () => {
  const left: string[] = [];
  const actions = await someActions(left);
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

it.each([
  { ids: [], want: '0 interventions end' },
  { ids: ['a'], want: '1 intervention ends' },
  { ids: ['a', 'b'], want: '2 interventions end' },
])('says beforehand that $want', async ({ ids, want }) => {
  const actions = await someActions([], { interventions: ids.map(aSuspension) });
  const { effect } = await actions.leave({ ...request, dryRun: true });
  expect(effect.summary).toBe(`all policies leave, 2: their counts stay, and nothing scales them; ${want}`);
});

it('is confirmed by the same digest once a part of it is seen to be done', async () => {
  const before = [': its HPA is deleted', ': its HPA is deleted'];
  const actions = await someActions([], { rests: [...before] });
  const { effect: first } = await actions.leave({ ...request, dryRun: true });
  expect(first.changes).toEqual(before.map((rest, at) => `shop/${['kept', 'web'][at]} gone${rest}`));
  const { effect: second } = await actions.leave({ ...request, dryRun: true });
  expect(second.changes).not.toEqual(first.changes);
  expect(second.digest).toBe(first.digest);
});

it('asks all sources at once: none waits for another that is busy', async () => {
  const asked: string[] = [];
  const bothAsked = Promise.withResolvers<undefined>();
  const whenAsked = (source: string): Promise<unknown> => {
    asked.push(source);
    if (asked.length === policies.length) bothAsked.resolve(undefined);
    return bothAsked.promise;
  };
  const actions = await someActions([], { whenAsked });
  const { effect } = await actions.leave({ ...request, dryRun: true });
  await actions.leave({ ...request, confirm: effect.digest });
  expect(asked.toSorted()).toEqual(['old', 'policies']);
});

it('asks for what waits after ever longer pauses, up to two seconds', async () => {
  const left: string[] = [];
  const clock = new FakeClock();
  const outcome = { kind: 'Waiting', message: '429' } as const;
  const actions = await someActions(left, { outcome, clock });
  const { effect } = await actions.leave({ ...request, dryRun: true });
  const begun = clock.monotonicMilliseconds();
  const askedAfter = new Map<number, number>();
  const ended = { is: false };
  const answered = actions.leave({ ...request, confirm: effect.digest }).finally(() => (ended.is = true));
  while (!ended.is) {
    await setImmediate();
    const asked = left.length;
    if (asked > 0 && !askedAfter.has(asked)) askedAfter.set(asked, clock.monotonicMilliseconds() - begun);
    clock.advance(50);
  }
  expect((await answered).result?.waiting).toBe(1);
  const times = [...askedAfter.values()];
  expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual([
    250, 500, 1_000, 2_000, 2_000,
  ]);
});

it('stores what leaves with the entry that says so, and nothing of it where that is refused', async () => {
  const ledger = new InMemoryLedger();
  const left: string[] = [];
  const actions = await someActions(left, { ledger });
  const { effect } = await actions.leave({ ...request, dryRun: true });
  ledger.faults.push('Broken');
  await expect(actions.leave({ ...request, confirm: effect.digest })).rejects.toMatchObject({
    code: 'DiskFull',
  });
  expect([left, [...ledger.sources.keys()], ledger.payloadsOf('OperatorAction')]).toEqual([[], [], []]);
  await actions.leave({ ...request, confirm: effect.digest });
  expect([...ledger.sources.keys()]).toEqual(['policies']);
  expect(ledger.payloadsOf('OperatorAction')).toMatchObject([{ action: 'ReleaseAll', outcome: 'Accepted' }]);
  expect(ledger.batches).toHaveLength(1);
});
