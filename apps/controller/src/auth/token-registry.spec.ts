import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import pino from 'pino';
import type { StoredToken } from '#ledger';
import { grantEverywhere } from './principal.ts';
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
    clock: { now: () => '2026-11-21T12:00:00Z' },
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
    clock: { now: () => '2026-11-21T12:00:00Z' },
    logger: pino({ level: 'warn' }, { write: (line) => void said.push(JSON.parse(line)) }),
  });
  await registry.refresh();
  await registry.refresh();
  expect(registry.list()).toEqual([made]);
  expect(said).toMatchObject([{ ids: 'two', msg: 'API tokens whose rows hold no token are not valid' }]);
});
