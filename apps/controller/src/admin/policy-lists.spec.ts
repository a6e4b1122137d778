import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { anActivePolicy, FakeClock } from '#reconciliation/testing';
import type { Principal } from '../auth/principal.ts';
import { AdminQueries } from './admin-queries.ts';

const caller: Principal = { name: 'viewer', grants: [{ role: 'viewer', namespaces: ['*'] }] };

describe('lists of policies by their states', () => {
  it('look through all policies a part of one list at a time, however many lists are asked for', async () => {
    const policies = Array.from({ length: 600 }, (_, index) => anActivePolicy({ name: `web-${index}` }));
    let under = 0;
    let most = 0;
    let read = 0;
    const queries = new AdminQueries({
      activePolicies: { listActivePolicies: () => policies },
      access: { list: () => [] },
      interventions: { list: () => [] },
      clock: new FakeClock(),
      reports: {
        of: async (part: readonly unknown[]) => {
          under += 1;
          most = Math.max(most, under);
          read += part.length;
          await setImmediate();
          under -= 1;
          return new Map();
        },
      },
      // What else there is to ask is asked for by no list of policies.
    } as unknown as ConstructorParameters<typeof AdminQueries>[0]);
    const list = () => queries.listPolicies(caller, { first: 1 }, { states: ['Short'] });
    const lists = await Promise.all([list(), list(), list()]);
    expect(lists).toEqual([1, 2, 3].map(() => ({ items: [], hasMore: false })));
    expect(read).toBe(3 * policies.length);
    expect(most).toBe(1);
  });
});
