import { expect, it } from '@jest/globals';
import type { StoredToken } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { grantEverywhere, type Principal } from '../auth/principal.ts';
import type { TokenRegistry } from '../auth/token-registry.ts';
import type { ActionGate, AskedAction } from './action-gate.ts';
import { TokenAdministration } from './token-administration.ts';

const day = 24 * 3_600_000;
const fence = { scope: 'administration', epoch: 1n, holder: 'a' };

it('forgets no token by a clock that is ahead for a moment', async () => {
  const clock = new FakeClock();
  const stored: StoredToken[] = [];
  const forgotten: string[] = [];
  const admit = async ({ principal, reason, check }: AskedAction<unknown>) => ({
    principal,
    reason: reason ?? '',
    checked: await check(principal),
  });
  const tokens = new TokenAdministration({
    store: {
      revision: () => Promise.resolve(0n),
      load: () => Promise.resolve(stored),
      add: (token, _fence, forgetBefore) => {
        stored.push(token);
        forgotten.push(forgetBefore);
        return Promise.resolve();
      },
      revoke: () => Promise.resolve(),
      noteUses: () => Promise.resolve(),
    },
    registry: { refresh: () => Promise.resolve(), list: () => stored } as unknown as TokenRegistry,
    fences: { of: () => fence },
    gate: { admit } as unknown as ActionGate,
    writer: { append: () => Promise.resolve({ ok: true, value: [] }) },
    clock,
    maximumDays: 365,
  });
  const principal = { name: 'ann', grants: grantEverywhere('viewer') } as unknown as Principal;
  const create = (name: string): Promise<unknown> => {
    const expires = new Date(Date.parse(clock.now()) + day).toISOString();
    return tokens.create({ principal, name, grants: principal.grants, expires, reason: 'ci' });
  };
  await create('one');
  clock.setBack(-400 * day);
  await create('two');
  expect(forgotten).toEqual(['2026-08-22T12:00:00.000Z', '2026-08-22T12:00:00.000Z']);
  clock.advance(day / 4);
  await create('three');
  expect(forgotten.at(-1)).toBe('2027-09-26T18:00:00.000Z');
});
