import { describe, expect, it } from '@jest/globals';
import { namespacedName } from '#kernel';
import type { OwnedAutoscaler } from '#reconciliation';
import { anActivePolicy } from '#reconciliation/testing';
import { OrphanedHpas } from './orphaned-hpas.ts';

const hpa = (name: string, policy = `shop/${name}`): OwnedAutoscaler => ({ namespace: 'shop', name, policy });

describe('orphaned HPAs', () => {
  it('are those that nothing explains, here or at another replica, by name', async () => {
    const asked: string[] = [];
    const orphans = new OrphanedHpas({
      reconciler: { listOrphanedHpas: () => [hpa('own'), hpa('renamed', 'shop/other')] },
      nativeAutoscalers: {
        listOwned: () => [
          hpa('own'),
          hpa('renamed', 'shop/other'),
          hpa('active'),
          hpa('leaving'),
          hpa('gone'),
        ],
      },
      activePolicies: { listActivePolicies: () => [anActivePolicy({ name: 'active' })] },
      shards: { holds: ({ name }) => name === 'own' },
      reports: {
        known: (policies) => {
          asked.push(...policies.map(namespacedName));
          return Promise.resolve(new Set(['shop/leaving']));
        },
      },
    });
    expect((await orphans.list()).map(({ name }) => name)).toEqual(['gone', 'own', 'renamed']);
    expect(asked).toEqual(['shop/leaving', 'shop/gone']);
  });
});
