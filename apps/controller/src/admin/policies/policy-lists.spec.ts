import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/callers/principal.ts';
import { listedPolicies } from '../testing/listed-policies.ts';

const caller: Principal = { name: 'viewer', grants: [{ role: 'viewer', namespaces: ['*'] }] };

describe('lists of policies by their states', () => {
  it('look through all policies a part of one list at a time, however many lists are asked for', async () => {
    const policies = 600;
    let under = 0;
    let most = 0;
    let read = 0;
    const queries = listedPolicies(policies, async (part) => {
      under += 1;
      most = Math.max(most, under);
      read += part;
      await setImmediate();
      under -= 1;
    });
    const list = () => queries.listPolicies(caller, { first: 1 }, { states: ['Short'] });
    const lists = await Promise.all([list(), list(), list()]);
    expect(lists).toEqual([1, 2, 3].map(() => ({ items: [], hasMore: false })));
    expect(read).toBe(3 * policies);
    expect(most).toBe(1);
  });
});
