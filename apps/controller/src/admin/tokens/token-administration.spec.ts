import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import type { AppendRequest, StoredToken } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { grantEverywhere, type Principal } from '../../auth/callers/principal.ts';
import type { TokenRegistry } from '../../auth/identities/token-registry.ts';
import { DeletionTime } from '../../database/deletion-time.ts';
import type { ActionGate, AskedAction } from '../access/action-gate.ts';
import { TokenAdministration } from './token-administration.ts';

const day = 24 * 3_600_000;

const principal = { name: 'ann', grants: grantEverywhere('viewer') } as unknown as Principal;

/** An administration whose requests are admitted, on a ledger that takes them. */
function anAdministration(clock: FakeClock, databaseTime: () => number | null = () => null) {
  const stored: StoredToken[] = [];
  const forgotten: (readonly string[])[] = [];
  let isAway = false;
  const admit = async ({ principal: caller, reason, check }: AskedAction<unknown>) => ({
    principal: caller,
    reason: reason ?? '',
    checked: await check(caller),
  });
  const append = ({ tokens = { put: [], forget: [] } }: AppendRequest) => {
    forgotten.push(stored.filter(({ id }) => tokens.forget.includes(id)).map(({ name }) => name));
    for (const token of tokens.put) {
      const index = stored.findIndex(({ id }) => id === token.id);
      stored.splice(index === -1 ? stored.length : index, 1, token);
    }
    isAway = true;
    return Promise.resolve({ ok: true, value: [] } as const);
  };
  const refresh = (): Promise<void> => {
    const away = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });
    if (!isAway) return Promise.resolve();
    isAway = false;
    return Promise.reject(away);
  };
  const time = new DeletionTime({ clock, databaseTime: () => Promise.resolve(databaseTime()) });
  const tokens = new TokenAdministration({
    registry: { refresh, list: () => [...stored] } as unknown as TokenRegistry,
    gate: { admit } as unknown as ActionGate,
    writer: { append },
    time,
    clock,
    maximumDays: 365,
  });
  const create = (name: string, lifetime = day) => {
    const expires = new Date(Date.parse(clock.now()) + lifetime).toISOString();
    return tokens.create({ principal, name, grants: principal.grants, expires, reason: 'ci' });
  };
  return { tokens, create, stored, forgotten };
}

it('answers for what is stored, also where the database is away right after', async () => {
  const { tokens, create, stored } = anAdministration(new FakeClock());
  const { view } = await create('one');
  expect(stored).toMatchObject([{ ...view, revokedAt: null }]);
  const revoked = await tokens.revoke({ principal, id: view.id, reason: 'over' });
  expect(revoked).toEqual({ ...view, revokedAt: expect.any(String) });
  expect(stored).toMatchObject([revoked]);
});

it('lets a token end at the millisecond that was asked for', async () => {
  const clock = new FakeClock();
  const { view } = await anAdministration(clock).create('one', day + 250);
  expect(Date.parse(view.expiresAt) - Date.parse(clock.now())).toBe(day + 250);
});

it('forgets no token by a clock that is ahead for a moment', async () => {
  const clock = new FakeClock();
  const { create, forgotten } = anAdministration(clock);
  await create('one');
  clock.setBack(-400 * day);
  await create('two');
  expect(forgotten).toEqual([[], []]);
  clock.advance(day / 4);
  await create('three');
  expect(forgotten.at(-1)).toEqual(['ann/one']);
});

it("forgets no token by a clock that is ahead of the database's from the start", async () => {
  const clock = new FakeClock();
  const began = Date.parse(clock.now());
  const { create, forgotten } = anAdministration(clock, () => began);
  await create('one');
  clock.advance(400 * day);
  await create('two');
  expect(forgotten).toEqual([[], []]);
});
