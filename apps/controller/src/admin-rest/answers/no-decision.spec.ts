import { describe, expect, it } from '@jest/globals';
import type { PolicyHistory } from '../../admin/history/policy-history.ts';
import { nobody } from '../../auth/callers/principal.ts';
import { noDecision } from './no-decision.ts';

const policy = { namespace: 'shop', name: 'checkout' };

function historyWith(versions: number): Pick<PolicyHistory, 'listVersions'> {
  const version = { item: {}, cursor: '1' } as never;
  return {
    listVersions: () =>
      Promise.resolve({ items: Array.from({ length: versions }, () => version), hasMore: false }),
  };
}

describe('why there is no decision', () => {
  it('is that nothing is decided yet, where the policy is or was in force', async () => {
    expect(await noDecision(historyWith(1), nobody, policy)).toMatchObject({
      problem: { status: 404, code: 'UnknownDecision', detail: 'nothing is decided yet for shop/checkout' },
    });
  });

  it('is that there is no such policy', async () => {
    expect(await noDecision(historyWith(0), nobody, policy)).toMatchObject({
      code: 'UnknownPolicy',
      message: 'no policy shop/checkout is or was in force',
    });
  });
});
