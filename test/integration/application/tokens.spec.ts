import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort, LedgerWriter, StoredToken, TokenStorePort } from '#ledger';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import {
  randomToken,
  TokenAuthenticator,
} from '../../../apps/controller/src/auth/identities/token-authenticator.ts';
import { TokenRegistry } from '../../../apps/controller/src/auth/identities/token-registry.ts';
import { clockToken, loggerToken } from '../../../apps/controller/src/configuration/configuration.module.ts';
import {
  administrationWriterToken,
  ledgerToken,
  tokenStoreToken,
} from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { appended } from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const ann: Principal = {
  name: 'ann',
  email: 'ann@example.com',
  grants: [
    { role: 'approver', namespaces: ['team-*'] },
    { role: 'viewer', namespaces: ['*'] },
  ],
};
const bo: Principal = { name: 'bo', grants: grantEverywhere('operator') };
const root: Principal = { name: 'root', grants: grantEverywhere('admin') };

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

interface Created {
  readonly secret: string;
  readonly token: { readonly id: string; readonly name: string };
}

describe('an API token', () => {
  let application: AnApplication;
  const start = async (): Promise<void> => {
    application = await anApplication({ callers: [ann, bo, root] });
    await application.nest.init();
  };
  const close = (): Promise<void> => application.close();

  const send = async (token: string, query: string) => {
    const response = await fetch(`${application.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    const body = (await response.json()) as { readonly data?: Record<string, unknown> };
    return { status: response.status, data: body.data ?? {} };
  };
  const creation = (given: { name?: string; grants?: string; expires?: string } = {}): string => {
    const {
      name = 'ci',
      grants = '{ role: operator, namespaces: ["team-a*"] }',
      expires = inDays(7),
    } = given;
    const args = `name: "${name}", grants: [${grants}], expires: "${expires}", reason: "for the pipeline"`;
    return `mutation { createToken(${args}) { ... on CreatedToken { secret token { id name } } ... on ActionRefusal { code message } } }`;
  };
  const createWith = async (token: string, given: Parameters<typeof creation>[0] = {}): Promise<Created> =>
    (await send(token, creation(given))).data['createToken'] as Created;
  const tokenOf = (caller: string): string => application.callerTokens[caller] ?? '';
  const revoke = (token: string, id: string) =>
    send(
      token,
      `mutation { revokeToken(id: "${id}", reason: "lost") { ... on Token { revokedAt } ... on ActionRefusal { code } } }`,
    );
  const list = async (token: string) =>
    (await send(token, '{ tokens { id name owner lastUsedAt revokedAt grants { role namespaces } } }')).data[
      'tokens'
    ] as readonly Readonly<Record<string, unknown>>[];

  /** As another process does. */
  const put = async (token: StoredToken): Promise<void> => {
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    appended(await writer.append({ drafts: [], tokens: { put: [token], forget: [] } }));
  };

  describe('that is refused', () => {
    beforeAll(start);
    afterAll(close);

    it.each([
      {
        name: 'a higher role',
        given: { grants: '{ role: admin, namespaces: ["team-a"] }' },
        code: 'Forbidden',
      },
      {
        name: 'another namespace',
        given: { grants: '{ role: operator, namespaces: ["shop"] }' },
        code: 'Forbidden',
      },
      {
        name: 'a wider pattern',
        given: { grants: '{ role: approver, namespaces: ["team*"] }' },
        code: 'Forbidden',
      },
      {
        name: 'every namespace',
        given: { grants: '{ role: operator, namespaces: ["*"] }' },
        code: 'Forbidden',
      },
      {
        name: 'a higher role and no end, whose bound is not told',
        given: { grants: '{ role: admin, namespaces: ["team-a"] }', expires: '2999-01-01T00:00:00Z' },
        code: 'Forbidden',
      },
      { name: 'no grant', given: { grants: '' }, code: 'BadArgument' },
      {
        name: 'a pattern that is none',
        given: { grants: '{ role: viewer, namespaces: ["A b"] }' },
        code: 'BadArgument',
      },
      {
        name: 'more namespaces than are compared at a time',
        given: {
          grants: `{ role: viewer, namespaces: [${Array.from({ length: 201 }, (_, index) => `"a-${index}"`).join()}] }`,
        },
        code: 'BadArgument',
      },
      { name: 'a name that is none', given: { name: 'a/b' }, code: 'BadArgument' },
      {
        name: 'no end',
        given: { expires: '2999-01-01T00:00:00Z' },
        code: 'BadExpiry',
        says: 'auth.maximumTokenDays is ',
      },
      { name: 'an end in the past', given: { expires: '2001-01-01T00:00:00Z' }, code: 'BadExpiry' },
      { name: 'a time that is none', given: { expires: '2001-01' }, code: 'BadArgument' },
    ])(
      'is not made with $name',
      async ({ given, code, says = '' }: { given: object; code: string; says?: string }) => {
        const message: unknown = expect.stringContaining(says);
        expect(await createWith(tokenOf('ann'), given)).toMatchObject({ code, message });
        expect(await list(tokenOf('ann'))).toEqual([]);
      },
    );
  });

  describe('of a controller of its own', () => {
    beforeEach(start);
    afterEach(close);

    it('is shown once, works at once, is listed without itself, and says when it was used last', async () => {
      const { secret, token } = await createWith(tokenOf('ann'));
      expect(token.name).toBe('ann/ci');
      expect(await list(tokenOf('ann'))).toEqual([
        {
          id: token.id,
          name: 'ann/ci',
          owner: 'ann',
          lastUsedAt: null,
          revokedAt: null,
          grants: [{ role: 'operator', namespaces: ['team-a*'] }],
        },
      ]);
      expect((await send(secret, '{ degraded { what } }')).status).toBe(200);
      const [listed] = await list(tokenOf('ann'));
      expect(listed?.['lastUsedAt']).toMatch(/:00Z$/);
      const stored = await application.nest.get<TokenStorePort>(tokenStoreToken).load();
      expect(JSON.stringify(stored)).not.toContain(secret);
    });

    it('is recorded, made, refused and revoked, and never stands in the ledger', async () => {
      const { secret, token } = await createWith(tokenOf('ann'));
      await createWith(tokenOf('ann'), { name: 'more', grants: '{ role: admin, namespaces: ["*"] }' });
      const revoked = await revoke(tokenOf('ann'), token.id);
      // Who asks again is told since when it is, and it is recorded once.
      expect((await revoke(tokenOf('ann'), token.id)).data).toEqual(revoked.data);
      const ledger = application.nest.get<LedgerPort>(ledgerToken);
      const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 100 });
      const recorded = items.map(({ entry }) => entry.payload);
      expect(recorded).toMatchObject([
        {
          actor: 'ann',
          action: 'CreateToken',
          outcome: 'Accepted',
          reason: 'for the pipeline',
          arguments: { token: 'ci', grants: 'operator:team-a*' },
        },
        {
          action: 'CreateToken',
          outcome: 'Refused',
          arguments: { token: 'more', grants: 'admin:*' },
        },
        { action: 'RevokeToken', outcome: 'Accepted', arguments: { id: token.id, token: 'ann/ci' } },
      ]);
      expect(JSON.stringify(recorded)).not.toContain(secret);
    });

    it('makes tokens that end no later than itself and with it, and belong to the same person', async () => {
      const first = await createWith(tokenOf('ann'), { grants: '{ role: viewer, namespaces: ["*"] }' });
      expect(
        await createWith(first.secret, {
          name: 'x',
          grants: '{ role: viewer, namespaces: ["a"] }',
          expires: inDays(8),
        }),
      ).toMatchObject({ code: 'BadExpiry' });
      const second = await createWith(first.secret, {
        name: 'x',
        grants: '{ role: viewer, namespaces: ["a"] }',
        expires: inDays(6),
      });
      expect(second.token.name).toBe('ann/x');
      await revoke(tokenOf('ann'), first.token.id);
      expect((await send(first.secret, '{ __typename }')).status).toBe(401);
      expect((await send(second.secret, '{ __typename }')).status).toBe(401);
    });

    it('makes none while it is being revoked', async () => {
      const parent = await createWith(tokenOf('ann'), { grants: '{ role: viewer, namespaces: ["*"] }' });
      const grants = '{ role: viewer, namespaces: ["a"] }';
      const names = ['x', 'y', 'z'];
      const [, ...children] = await Promise.all([
        revoke(tokenOf('ann'), parent.token.id),
        ...names.map((name) => createWith(parent.secret, { name, grants, expires: inDays(6) })),
      ]);
      // Where the revocation comes first, there is no answer to a caller that is not known.
      const secrets = children.flatMap((child) => (child as Partial<Created> | undefined)?.secret ?? []);
      for (const secret of secrets) expect((await send(secret, '{ __typename }')).status).toBe(401);
      const listed = await list(tokenOf('ann'));
      expect(listed.filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
    });

    it('takes along, after a fail-over, what was made with it on the last leader a moment ago', async () => {
      const { nest } = application;
      const store = nest.get<TokenStorePort>(tokenStoreToken);
      const { token } = await createWith(tokenOf('ann'));
      jest.spyOn(nest.get(TokenRegistry), 'look').mockResolvedValue();
      const parent = (await store.load()).find(({ id }) => id === token.id)!;
      const { sha256 } = randomToken();
      const child = { ...parent, id: randomUUID(), name: 'ann/child', parent: parent.id, sha256 };
      await put(child);
      await revoke(tokenOf('ann'), parent.id);
      const valid = (await store.load()).filter(({ revokedAt }) => revokedAt === null);
      expect(valid.map(({ name }) => name)).toEqual([]);
    });

    it('is not made, after a fail-over, with a token or in place of one that the last leader changed a moment ago', async () => {
      const { nest } = application;
      const store = nest.get<TokenStorePort>(tokenStoreToken);
      const { secret, token } = await createWith(tokenOf('ann'));
      jest.spyOn(nest.get(TokenRegistry), 'look').mockResolvedValue();
      const first = (await store.load()).find(({ id }) => id === token.id)!;
      const { sha256 } = randomToken();
      await put({ ...first, id: randomUUID(), name: 'ann/other', sha256 });
      const second = await send(tokenOf('ann'), creation({ name: 'other' }));
      expect(second.data['createToken']).toMatchObject({ code: 'BadName' });
      await put({ ...first, revokedAt: new Date().toISOString() });
      const child = await send(secret, creation({ name: 'child' }));
      expect(child.data['createToken']).toMatchObject({ code: 'Forbidden' });
    });

    it('is one of a hundred that one owner makes within an hour, revoked ones included', async () => {
      const { token } = await createWith(tokenOf('ann'));
      await revoke(tokenOf('ann'), token.id);
      const registry = application.nest.get(TokenRegistry);
      const [revoked] = registry.list();
      const others = (made: number) =>
        jest.spyOn(registry, 'list').mockReturnValue(Array.from({ length: made }, () => revoked!));
      others(100);
      expect(await createWith(tokenOf('ann'))).toMatchObject({ code: 'TooManyTokens' });
      expect(
        await createWith(tokenOf('bo'), { grants: '{ role: viewer, namespaces: ["a"] }' }),
      ).toMatchObject({
        token: { name: 'bo/ci' },
      });
      others(99);
      expect(await createWith(tokenOf('ann'))).toMatchObject({ token: { name: 'ann/ci' } });
    });

    it('is seen and revoked by its owner and by administrators, and does not exist for others', async () => {
      const { secret, token } = await createWith(tokenOf('ann'));
      expect(await list(tokenOf('bo'))).toEqual([]);
      expect((await revoke(tokenOf('bo'), token.id)).data).toEqual({ revokeToken: { code: 'UnknownToken' } });
      expect((await list(tokenOf('root'))).map(({ name }) => name)).toEqual(['ann/ci']);
      expect((await revoke(tokenOf('root'), token.id)).data).toEqual({
        revokeToken: { revokedAt: expect.any(String) },
      });
      expect((await send(secret, '{ __typename }')).status).toBe(401);
    });

    it('is known to another process, and refused by it once it is revoked', async () => {
      const authenticator = new TokenAuthenticator([{ ...ann, sha256: '' }]);
      const other = new TokenRegistry({
        store: application.nest.get<TokenStorePort>(tokenStoreToken),
        authenticator,
        clock: application.nest.get(clockToken),
        logger: application.nest.get(loggerToken),
      });
      await other.start();
      const { secret, token } = await createWith(tokenOf('ann'));
      await soon('it is known', () => authenticator.authenticate(secret));
      await revoke(tokenOf('ann'), token.id);
      await soon('it is refused', () => authenticator.authenticate(secret) === undefined || undefined);
      await other.stop();
    });

    it('stays valid while the database is away, until it expires', async () => {
      let now = '2026-11-22T12:00:00Z';
      const stored = {
        id: 'a',
        sha256: '',
        name: 'ann/ci',
        owner: 'ann',
        parent: null,
        grants: [{ role: 'viewer', namespaces: ['team-a'] }] as const,
        email: null,
        forgeLogin: null,
        createdAt: now,
        expiresAt: '2026-11-23T12:00:00Z',
        revokedAt: null,
        lastUsedAt: null,
      };
      const { token, sha256 } = randomToken();
      const authenticator = new TokenAuthenticator([{ ...ann, sha256: 'of-ann' }], () => now);
      let isAway = false;
      const away = <T>(value: T): Promise<T> =>
        isAway ? Promise.reject(new Error('away')) : Promise.resolve(value);
      const registry = new TokenRegistry({
        store: {
          revision: () => away(1n),
          load: () => away([{ ...stored, sha256 }]),
          noteUses: () => away(undefined),
        },
        authenticator,
        clock: { now: () => now, schedule: () => () => undefined },
        logger: application.nest.get(loggerToken),
      });
      await registry.refresh();
      isAway = true;
      await expect(registry.refresh()).rejects.toThrow('away');
      expect(authenticator.authenticate(token)).toMatchObject({ name: 'ann/ci', owner: 'ann' });
      now = '2026-11-23T12:00:00Z';
      expect(authenticator.authenticate(token)).toBeUndefined();
    });
  });
});
