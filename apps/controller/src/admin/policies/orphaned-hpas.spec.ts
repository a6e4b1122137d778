import { describe, expect, it } from '@jest/globals';
import { namespacedName } from '#kernel';
import type { PolicyKey, PolicyState } from '#ledger';
import {
  hpaOutOfReach,
  keptHpa,
  type NativeAutoscaler,
  type OwnedAutoscaler,
  unexplainedHpa,
} from '#reconciliation';
import { anActivePolicy, aNativeAutoscaler, FakeClock } from '#reconciliation/testing';
import { OrphanedHpas, type OrphanedHpasOptions } from './orphaned-hpas.ts';

const hpa = (name: string, policy = `shop/${name}`): OwnedAutoscaler => ({ namespace: 'shop', name, policy });

/** As the replica that tries to delete the HPA stores it. */
const refused: NonNullable<PolicyState['refusal']> = {
  direction: 'Down',
  wanted: 'deletion of the HPA that a policy left',
  targetUid: null,
  version: '',
  code: 'Forbidden',
  message: 'admission webhook "keep" denied the request',
  since: '2026-11-20T11:30:00.000Z',
  refusedAt: ['2026-11-20T11:30:00.000Z'],
  refusals: 0,
};

/** A record of policies with an HPA each, and whether it can be read. */
function aRecord(policies: readonly PolicyKey[]): OrphanedHpasOptions['ledger'] & {
  readings: number;
  isAway: boolean;
} {
  return {
    readings: 0,
    isAway: false,
    recordedPolicies() {
      this.readings += 1;
      return this.isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(policies);
    },
    policyStates: (asked) =>
      Promise.resolve(
        asked.map((policy): PolicyState => ({
          policy,
          memory: {},
          memoryIfWritten: null,
          openRun: null,
          lastDecision: null,
          strategy: {
            selectionStrategy: null,
            writtenSelectionStrategy: null,
            actuation: null,
            algorithm: null,
            enabled: null,
            hpa: {
              uid: policy.name === 'scaled' ? null : 'uid',
              targetUid: null,
              rendered: null,
              answered: null,
              unsupported: null,
              observation: null,
            },
          },
          account: null,
          contest: null,
          refusal: null,
          updatedAt: '2026-11-20T12:00:00Z',
        })),
      ),
  };
}

/** Plimsoll's HPAs, and those of them that are being deleted. */
function owning(
  owned: readonly OwnedAutoscaler[],
  terminating: readonly NativeAutoscaler[] = [],
): OrphanedHpasOptions['nativeAutoscalers'] {
  return {
    listOwned: () => owned,
    listAutoscalers: () => ({ state: 'Synced', autoscalers: terminating }),
  };
}

function aList(changes: Partial<OrphanedHpasOptions>): OrphanedHpas {
  return new OrphanedHpas({
    reconciler: { listOrphanedHpas: () => [] },
    nativeAutoscalers: owning([]),
    activePolicies: { listActivePolicies: () => [anActivePolicy({ name: 'active' })] },
    shards: { holds: ({ name }) => name === 'own' },
    reports: { known: () => Promise.resolve(new Set()) },
    ledger: aRecord([]),
    namespaces: ['*'],
    clock: new FakeClock(),
    logger: { warn: () => undefined, info: () => undefined },
    ...changes,
  });
}

const namesOf = async (orphans: OrphanedHpas): Promise<readonly string[]> =>
  (await orphans.list()).map(({ name }) => name);

describe('orphaned HPAs', () => {
  it('are those that nothing explains, here or at another replica, by name', async () => {
    const asked: string[] = [];
    const orphans = aList({
      reconciler: { listOrphanedHpas: () => [hpa('own'), hpa('renamed', 'shop/other')].map(unexplainedHpa) },
      nativeAutoscalers: owning([
        hpa('own'),
        hpa('renamed', 'shop/other'),
        hpa('active'),
        hpa('leaving'),
        hpa('gone'),
      ]),
      reports: {
        known: (policies) => {
          asked.push(...policies.map(namespacedName));
          return Promise.resolve(new Set(['shop/leaving']));
        },
      },
    });
    expect(await namesOf(orphans)).toEqual(['gone', 'own', 'renamed']);
    expect(asked).toEqual(['shop/leaving', 'shop/gone']);
  });

  it('are those that another replica cannot delete, with its reason and since when', async () => {
    const ledger = aRecord([]);
    const orphans = aList({
      nativeAutoscalers: owning(
        [hpa('leaving'), hpa('refused'), hpa('held')],
        [aNativeAutoscaler({ name: 'held', terminatingSince: '2026-11-20T11:00:00Z', finalizers: ['keep'] })],
      ),
      reports: { known: (policies) => Promise.resolve(new Set(policies.map(namespacedName))) },
      ledger: {
        ...ledger,
        policyStates: async (asked) => {
          const states = await ledger.policyStates(asked);
          return states.map((state) =>
            state.policy.name === 'refused' ? { ...state, refusal: refused } : state,
          );
        },
      },
    });
    expect(await orphans.list()).toEqual([
      keptHpa(hpa('held'), {
        message: 'it is being deleted, and waits for its finalizers (keep)',
        since: '2026-11-20T11:00:00Z',
        isSeen: true,
      }),
      keptHpa(hpa('refused'), { message: refused.message, since: refused.since, isSeen: true }),
    ]);
  });

  it('are, in namespaces that left the configured ones, those that the record has, of other replicas, too', async () => {
    const named = (name: string, namespace = 'shop'): PolicyKey => ({ namespace, name });
    const ledger = aRecord([
      named('active'),
      named('gone'),
      named('own'),
      named('scaled'),
      named('managed', 'pay'),
    ]);
    const clock = new FakeClock();
    const orphans = aList({
      reconciler: { listOrphanedHpas: () => [unexplainedHpa(hpa('own'))] },
      namespaces: ['pay'],
      ledger,
      clock,
    });
    expect(await orphans.list()).toEqual([hpaOutOfReach(named('gone')), unexplainedHpa(hpa('own'))]);
    clock.advance(59_000);
    await orphans.list();
    expect(ledger.readings).toBe(1);
    ledger.isAway = true;
    clock.advance(2_000);
    expect(await namesOf(orphans)).toEqual(['gone', 'own']);
    expect(ledger.readings).toBe(2);
  });

  it('are not looked for in the record where every namespace is managed', async () => {
    const ledger = aRecord([{ namespace: 'shop', name: 'gone' }]);
    expect(await aList({ ledger }).list()).toEqual([]);
    expect(ledger.readings).toBe(0);
  });
});
