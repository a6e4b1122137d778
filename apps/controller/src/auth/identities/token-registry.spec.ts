import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import type { StoredToken, TokenStorePort } from '#ledger';
import { grantEverywhere } from '../callers/principal.ts';
import { CallerAuthenticator } from '../gate/caller-authenticator.ts';
import { createToken, TokenAuthenticator } from './token-authenticator.ts';
import { TokenRegistry } from './token-registry.ts';

const { token, record } = createToken({ name: 'ann/ci', grants: grantEverywhere('viewer') });
const made: StoredToken = {
  id: 'one',
  sha256: record.sha256,
  name: 'ann/ci',
  owner: 'oidc:ann',
  parent: null,
  grants: [{ role: 'viewer', namespaces: ['*'] }],
  email: null,
  forgeLogin: null,
  createdAt: '2026-11-20T12:00:00Z',
  expiresAt: '2027-11-20T12:00:00Z',
  revokedAt: null,
  lastUsedAt: null,
};

const clock = { now: () => '2026-11-21T12:00:00Z', schedule: () => () => undefined };

/** As long as it takes until nothing moves on by itself. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

it('a token that was revoked is not brought back by a slow look that began before', async () => {
  let stored = [made];
  let revision = 1n;
  const slow: (() => void)[] = [];
  let isSlow = true;
  const authenticator = new TokenAuthenticator([], () => '2026-11-21T12:00:00Z');
  const registry = new TokenRegistry({
    store: {
      revision: () => Promise.resolve(revision),
      load: async () => {
        const read = stored;
        if (isSlow) await new Promise<void>((resolve) => void slow.push(resolve));
        return read;
      },
      noteUses: () => Promise.resolve(),
    },
    authenticator,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const look = registry.look();
  await settle();
  isSlow = false;
  stored = [{ ...made, revokedAt: '2026-11-21T12:00:00Z' }];
  revision = 2n;
  const afterRevocation = registry.refresh();
  await settle();
  for (const end of slow) end();
  await Promise.all([look, afterRevocation]);
  expect(registry.list()).toEqual(stored);
  expect(authenticator.authenticate(token)).toBeUndefined();
});

it('says once which rows hold no token, and reads the others', async () => {
  const said: unknown[] = [];
  let revision = 0n;
  const registry = new TokenRegistry({
    store: {
      revision: () => Promise.resolve((revision += 1n)),
      load: (onUnreadable) => {
        onUnreadable?.('two');
        return Promise.resolve([made]);
      },
      noteUses: () => Promise.resolve(),
    },
    authenticator: new TokenAuthenticator([], () => '2026-11-21T12:00:00Z'),
    clock,
    logger: pino({ level: 'warn' }, { write: (line) => void said.push(JSON.parse(line)) }),
  });
  await registry.refresh();
  await registry.refresh();
  expect(registry.list()).toEqual([made]);
  expect(said).toMatchObject([{ ids: 'two', msg: 'API tokens whose rows hold no token are not valid' }]);
});

describe('a token that another process has just made', () => {
  function opened(given: Partial<TokenStorePort> = {}, late: () => void = () => undefined) {
    const tokens = new TokenAuthenticator([], clock.now);
    const store = {
      revision: () => Promise.resolve(1n),
      load: () => Promise.resolve([made]),
      noteUses: () => Promise.resolve(),
      ...given,
    };
    const schedule = (_milliseconds: number, callback: () => void): (() => void) => {
      late = callback;
      return () => undefined;
    };
    const logger = pino({ level: 'silent' });
    const registry = new TokenRegistry({
      store,
      authenticator: tokens,
      clock: { ...clock, schedule },
      logger,
    });
    return { registry, callers: new CallerAuthenticator({ tokens, registry }), endWait: () => late() };
  }

  it('is looked for, and its caller is recognised', async () => {
    const { callers } = opened();
    expect(await callers.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'ann/ci' });
  });

  it('is also found where a look that began before it was made is under way', async () => {
    const looks = [Promise.withResolvers<bigint>(), Promise.withResolvers<bigint>()];
    let asked = 0;
    let stored: readonly StoredToken[] = [];
    const revision = (): Promise<bigint> => looks[asked++]!.promise;
    const { registry, callers } = opened({ revision, load: () => Promise.resolve(stored) });
    void registry.look();
    await settle();
    const answers = Array.from({ length: 20 }, () => callers.authenticate(`Bearer ${token}`));
    looks[0]!.resolve(1n);
    await settle();
    stored = [made];
    looks[1]!.resolve(2n);
    expect((await Promise.all(answers)).map((caller) => caller?.name)).toEqual(answers.map(() => 'ann/ci'));
    expect(asked).toBe(2);
  });

  it('is not waited for where the database hangs, and not looked for where it can be none', async () => {
    let asked = 0;
    const revision = (): Promise<bigint> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const { callers, endWait } = opened({ revision });
    expect(await callers.authenticate('Bearer plm_guess')).toBeUndefined();
    expect(asked).toBe(0);
    const answer = callers.authenticate(`Bearer ${token}`);
    await settle();
    endWait();
    expect(await answer).toBeUndefined();
    expect(asked).toBe(1);
  });
});
