import { createHmac, createPublicKey } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { authorizationCodeGrant } from 'openid-client';
import type { Configuration } from '#configuration';
import { OidcProvider } from '../../../apps/controller/src/auth/identities/oidc-provider.ts';
import { configurationToken } from '../../../apps/controller/src/configuration/configuration.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { startOpenidProvider, type TestOpenidProvider } from '../../support/openid-provider.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const soonSeconds = () => Math.floor(Date.now() / 1_000) + 300;

describe('OpenID Connect', () => {
  let provider: TestOpenidProvider;
  let application: AnApplication;
  beforeAll(async () => {
    const port = await findFreePort();
    const redirectUrl = `http://127.0.0.1:${port}/auth/callback`;
    provider = await startOpenidProvider(() => redirectUrl);
    application = await anApplication({
      configuration: (folder) => ({
        listen: { port, metricsPort: 0 },
        auth: {
          oidc: {
            issuer: provider.issuer,
            clientId: 'plimsoll',
            clientSecretFile: join(folder, 'client-secret'),
            redirectUrl,
            forgeLoginClaim: 'nickname',
            grants: [{ group: 'sre', role: 'operator', namespaces: ['*'] }],
          },
        },
      }),
    });
    await writeFile(join(application.folder, 'client-secret'), 'a-secret-of-the-client\n');
    await application.nest.init();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await application.close();
    await provider.stop();
  });

  const ask = (headers: Readonly<Record<string, string>>, query = '{ degraded { what } }') =>
    fetch(`${application.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });

  describe('a bearer JWT', () => {
    const claims = () => ({
      exp: soonSeconds(),
      groups: ['sre'],
      email: 'ann@example.com',
      email_verified: true,
    });

    it('is its subject, with what its groups may do', async () => {
      const token = await provider.sign(claims());
      const answer = await ask(
        { authorization: `Bearer ${token}` },
        'mutation { syncNow(source: "nothing") { ... on ActionRefusal { code } } }',
      );
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { data: { syncNow: { code: 'UnknownSource' } } },
      ]);
    });

    // Made once: it takes a second.
    let made: Promise<CryptoKey> | undefined;
    const otherKey = () => (made ??= generateKeyPair('RS256').then(({ privateKey }) => privateKey));
    const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const good = () => ({ iss: provider.issuer, aud: 'plimsoll', sub: 'ann', ...claims() });

    it.each([
      { name: 'expired', make: () => provider.sign({ ...claims(), exp: soonSeconds() - 1_000 }) },
      { name: 'not valid yet', make: () => provider.sign({ ...claims(), nbf: soonSeconds() }) },
      { name: 'without an end', make: () => provider.sign({ groups: ['sre'] }) },
      { name: 'of another audience', make: () => provider.sign({ ...claims(), aud: 'other' }) },
      { name: 'of another issuer', make: () => provider.sign({ ...claims(), iss: 'https://evil.example' }) },
      { name: 'of no group that is known', make: () => provider.sign({ ...claims(), groups: ['x'] }) },
      { name: 'with groups in one text', make: () => provider.sign({ ...claims(), groups: 'sre' }) },
      ...['', ' \t', 'a'.repeat(256)].map((sub) => ({
        name: `of the subject ${JSON.stringify(sub).slice(0, 10)}`,
        make: () => provider.sign({ groups: ['sre'], exp: soonSeconds(), sub }),
      })),
      { name: 'truncated', make: async () => (await provider.sign(claims())).slice(0, -20) },
      {
        name: 'without its signature',
        make: async () => (await provider.sign(claims())).replace(/\.[^.]*$/, '.'),
      },
      {
        name: 'with another payload',
        make: async () => {
          const [header, , signature] = (await provider.sign(claims())).split('.');
          return `${header ?? ''}.${base64({ ...good(), sub: 'root' })}.${signature ?? ''}`;
        },
      },
      { name: 'with alg none', make: () => Promise.resolve(`${base64({ alg: 'none' })}.${base64(good())}.`) },
      {
        name: 'with alg none and a signature',
        make: () => Promise.resolve(`${base64({ alg: 'none' })}.${base64(good())}.AA`),
      },
      {
        name: 'signed by another key',
        make: async () =>
          new SignJWT(good()).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(await otherKey()),
      },
      {
        name: 'naming a key that is a path',
        make: async () =>
          new SignJWT(good())
            .setProtectedHeader({ alg: 'RS256', kid: '../../../../dev/null' })
            .sign(await otherKey()),
      },
      {
        name: 'naming a key that is SQL',
        make: async () =>
          new SignJWT(good())
            .setProtectedHeader({ alg: 'RS256', kid: "x' OR '1'='1" })
            .sign(await otherKey()),
      },
      {
        name: 'bringing its own key',
        make: async () => {
          const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
          const header = { alg: 'RS256', jwk: await exportJWK(publicKey), jku: 'https://evil.example/keys' };
          return new SignJWT(good()).setProtectedHeader(header).sign(privateKey);
        },
      },
      {
        name: 'signed as HS256 with the public key',
        make: () => {
          const pem = createPublicKey({ key: { ...provider.publicKey() }, format: 'jwk' }).export({
            type: 'spki',
            format: 'pem',
          });
          const signed = `${base64({ alg: 'HS256', kid: 'first' })}.${base64(good())}`;
          return Promise.resolve(`${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`);
        },
      },
      {
        name: 'of an unknown critical header',
        make: () => provider.sign(claims(), { crit: ['x'], x: 1 }).catch(() => 'a.b.c'),
      },
      { name: 'that is no JWT', make: () => Promise.resolve('a.b.c') },
      { name: 'that is longer than any', make: () => Promise.resolve(`a.${'b'.repeat(9_000)}.c`) },
    ])('$name is refused as any other: 401, and no hint', async ({ make }) => {
      const answer = await ask({ authorization: `Bearer ${await make()}` });
      expect([answer.status, await answer.json()]).toEqual([
        401,
        {
          type: 'about:blank',
          title: 'Unauthorized',
          status: 401,
          code: 'Unauthenticated',
          detail: 'a valid bearer token is required',
        },
      ]);
    });

    it('is cut off before it is read where its header is a megabyte', async () => {
      const { hostname, port } = new URL(application.url());
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(
        `GET /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${'a'.repeat(1_000_000)}\r\n\r\n`,
      );
      const answer = await new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString('latin1')));
      });
      socket.destroy();
      expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    });
  });

  describe('a browser', () => {
    let cookie: string;

    it('signs in with code and PKCE, and gets a session that scripts and other sites cannot use', async () => {
      const { location, jar } = await signIn('ann');
      expect(new URL(location).searchParams.get('code_challenge_method')).toBe('S256');
      cookie = jar.find((text) => text.startsWith('plimsoll-session='))?.split(';')[0] ?? '';
      const [attributes] = jar.filter((text) => text.startsWith('plimsoll-session='));
      expect(attributes).toMatch(/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
      expect(
        (await fetch(`${application.url()}/graphql?query={degraded{what}}`, { headers: { cookie } })).status,
      ).toBe(200);
    });

    it('is known at the forge by the claim that the configuration names, as a bearer of a JWT is', async () => {
      const authorization = `Bearer ${await provider.sign({ exp: soonSeconds(), groups: ['sre'], nickname: 'the-ann' })}`;
      for (const headers of [{ cookie }, { authorization }]) {
        const answer = await fetch(`${application.url()}/api/v1/me`, { headers });
        expect(await answer.json()).toMatchObject({ forgeLogin: 'the-ann' });
      }
    });

    it('changes something from our own pages only', async () => {
      const origin = application.url();
      expect((await ask({ cookie, origin })).status).toBe(200);
      for (const headers of [
        { cookie },
        { cookie, origin: 'https://evil.example' },
        { cookie, origin: 'null' },
      ]) {
        const answer = await ask(headers);
        expect([answer.status, await answer.json()]).toEqual([
          403,
          expect.objectContaining({ code: 'CrossOrigin' }),
        ]);
      }
    });

    it.each([
      { from: 'our own pages', origin: () => application.url(), want: /^HTTP\/1\.1 (?!401|403)/ },
      { from: 'another site', origin: () => 'https://evil.example', want: /^HTTP\/1\.1 403 / },
      { from: 'nowhere', origin: () => undefined, want: /^HTTP\/1\.1 403 / },
    ])('upgrades to a WebSocket from $from: $want', async ({ origin, want }) => {
      const { hostname, port } = new URL(application.url());
      const socket = connect(Number(port), hostname);
      const from = origin();
      socket.write(
        `GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nCookie: ${cookie}\r\n` +
          (from === undefined ? '' : `Origin: ${from}\r\n`) +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      const answer = await new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString('latin1')));
      });
      socket.destroy();
      expect(answer).toMatch(want);
    });

    it('is not let in with a session of another making, a changed one, or the cookie of a sign-in', async () => {
      const [name = '', value = ''] = cookie.split('=');
      const begun = await fetch(`${application.url()}/auth/login`, { redirect: 'manual' });
      const signInCookie = begun.headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1] ?? '';
      for (const other of [`${value}x`, value.slice(0, -4), signInCookie, 'x', '']) {
        const headers = { cookie: `${name}=${other}`, origin: application.url() };
        expect((await ask(headers)).status).toBe(401);
      }
    });

    /** What the log says of the sign-ins that are refused meanwhile. */
    const refusedWhile = async (work: () => Promise<unknown>): Promise<readonly object[]> => {
      const before = application.log.length;
      await work();
      const lines = application.log.slice(before);
      return lines.filter(({ msg }) => msg === 'a sign-in with OpenID was refused');
    };

    it('is not let in without a group with a role, and the log says who it was, and of which groups', async () => {
      const said = await refusedWhile(async () => {
        expect(await signIn('bo')).toMatchObject({ status: 401, body: { code: 'NoRole' } });
        await signIn('bo');
      });
      expect(said).toEqual([
        expect.objectContaining({ code: 'NoRole', caller: 'oidc:bo@example.com', groups: ['strangers'] }),
      ]);
    });

    it('is not let in with an answer that it did not ask for, of which the log says nothing', async () => {
      const said = await refusedWhile(async () => {
        const forged = await fetch(`${application.url()}/auth/callback?code=x&state=y`);
        expect([forged.status, await forged.json()]).toEqual([
          401,
          expect.objectContaining({ code: 'SignInEnded' }),
        ]);
      });
      expect(said).toEqual([]);
    });

    it('comes back once, and with what it was given when it began', async () => {
      const [one, two] = [await signIn('ann'), await signIn('ann')];
      const statusOf = async (back: URL, given: string): Promise<number> =>
        (await fetch(back, { headers: { cookie: given } })).status;
      expect([one.status, two.status]).toEqual([200, 200]);
      expect(await statusOf(one.back, one.cookie)).toBe(401);
      expect(await statusOf(one.back, two.cookie)).toBe(401);
    });

    it('is sent nowhere else by what the request says of its host, nor by its query', async () => {
      const headers = {
        forwarded: 'host=evil.example;proto=https',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-original-url': 'https://evil.example/',
        accept: 'text/html',
      };
      const asked = '?redirect_uri=https://evil.example/&returnTo=//evil.example&next=https://evil.example';
      const begun = await fetch(`${application.url()}/auth/login${asked}`, { redirect: 'manual', headers });
      const location = new URL(begun.headers.get('location') ?? '');
      expect([location.origin, location.searchParams.get('redirect_uri')]).toEqual([
        provider.issuer,
        `${application.url()}/auth/callback`,
      ]);
      const refused = await fetch(`${application.url()}/auth/callback${asked}&code=x&state=y`, { headers });
      expect(await refused.text()).not.toContain('evil');
    });

    it('is led to the console’s sign-in, which says why, where it is not let in', async () => {
      const headers = { accept: 'text/html,application/xhtml+xml' };
      const refused = await fetch(`${application.url()}/auth/callback?code=x&state=y`, { headers });
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        401,
        'text/html; charset=utf-8',
      ]);
      expect(await refused.text()).toContain('content="0;url=/login?openid=SignInEnded"');
    });

    it('signs in by the secret that the client has now', async () => {
      const file = join(application.folder, 'client-secret');
      const said = await refusedWhile(async () => {
        await writeFile(file, 'another-one');
        expect(await signIn('ann')).toMatchObject({ status: 401, body: { code: 'SignInRefused' } });
        await rm(file);
        expect((await fetch(`${application.url()}/auth/login`)).status).toBe(503);
        await writeFile(file, 'a-secret-of-the-client\n');
        expect((await signIn('ann')).status).toBe(200);
      });
      expect(said).toEqual([
        expect.objectContaining({ code: 'SignInRefused', reason: 'invalid_client' }),
        expect.objectContaining({ code: 'ProviderAway', reason: expect.stringContaining(file) }),
      ]);
    });

    it('ends its session', async () => {
      const headers = { cookie, origin: application.url() };
      const answer = await fetch(`${application.url()}/auth/logout`, { method: 'POST', headers });
      expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([
        204,
        'plimsoll-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
      ]);
    });
  });

  it('believes a key that the provider has put in the place of another, and the other no more', async () => {
    const configuration = application.nest.get<Configuration>(configurationToken);
    const believed = new OidcProvider(configuration.auth.oidc!, { keyCooldownMilliseconds: 0 });
    const before = await provider.sign({ exp: soonSeconds(), groups: ['sre'] });
    expect(await believed.authenticate(before)).toMatchObject({ name: 'oidc:ann' });
    await provider.rotate();
    const after = await provider.sign({ exp: soonSeconds(), groups: ['sre'] });
    expect(await believed.authenticate(after)).toMatchObject({ name: 'oidc:ann' });
    expect(await believed.authenticate(before)).toBeUndefined();
  });

  it.each([
    { clockSkewSeconds: 300, isLetIn: true },
    { clockSkewSeconds: 60, isLetIn: false },
  ])(
    'signs in with a clock that is 100 seconds behind where it may differ by $clockSkewSeconds: $isLetIn',
    async ({ clockSkewSeconds, isLetIn }) => {
      const { oidc } = application.nest.get<Configuration>(configurationToken).auth;
      const notBefore = Math.floor(Date.now() / 1_000) + 100;
      const idToken = await provider.sign({
        iat: notBefore,
        nbf: notBefore,
        exp: notBefore + 300,
        nonce: 'n',
      });
      const fetched = globalThis.fetch;
      jest
        .spyOn(globalThis, 'fetch')
        .mockImplementation((url, options) =>
          hrefOf(url).endsWith('/token')
            ? Promise.resolve(Response.json({ access_token: 'x', token_type: 'bearer', id_token: idToken }))
            : fetched(url, options),
        );
      const client = await new OidcProvider({ ...oidc!, clockSkewSeconds }).client();
      const back = new URL(`${application.url()}/auth/callback?code=x&state=s&iss=${provider.issuer}`);
      const checks = { expectedState: 's', expectedNonce: 'n', idTokenExpected: true };
      const signedIn = authorizationCodeGrant(client, back, checks).then(
        (answer) => answer.claims()?.sub === 'ann',
        () => false,
      );
      expect(await signedIn).toBe(isLetIn);
      // As one who comes with the same token.
      const known = new OidcProvider({ ...oidc!, clockSkewSeconds }).authenticate(idToken);
      expect((await known) !== undefined).toBe(isLetIn);
    },
  );

  it('gives what the last of many groups may do', () => {
    const { oidc } = application.nest.get<Configuration>(configurationToken).auth;
    const many = Array.from({ length: 2_000 }, (_, number) => `group-${number}`);
    const principal = new OidcProvider(oidc!).principalOf({ sub: 'ann', groups: [...many, 'sre'] });
    expect(principal?.grants).toEqual([{ role: 'operator', namespaces: ['*'] }]);
  });

  describe('while the provider is away', () => {
    const away = { problem: { status: 503, code: 'Unavailable' } };
    const settings = () => application.nest.get<Configuration>(configurationToken).auth.oidc!;
    const aToken = () => provider.sign({ exp: soonSeconds(), groups: ['sre'] });

    it('a JWT is neither believed nor refused, and the provider is asked once in five seconds', async () => {
      let asked = 0;
      let now = 0;
      jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
        asked += 1;
        return Promise.reject(new TypeError('fetch failed'));
      });
      const alone = new OidcProvider(settings(), { now: () => now });
      for (now = 0; now < 10_000; now += 1_000)
        await expect(alone.authenticate(await aToken())).rejects.toMatchObject(away);
      expect(asked).toBe(2);
    });

    it.each([
      { name: 'answers nothing', answer: () => Promise.reject(new TypeError('fetch failed')) },
      { name: 'answers 502', answer: () => Promise.resolve(new Response('', { status: 502 })) },
      { name: 'answers a page', answer: () => Promise.resolve(new Response('<html>')) },
      { name: 'answers no set of keys', answer: () => Promise.resolve(new Response('{"keys":[1]}')) },
      { name: 'answers without an end', answer: () => Promise.resolve(new Response(withoutEnd())) },
      { name: 'breaks off', answer: () => Promise.resolve(new Response(brokenOff())) },
    ])('a JWT is neither, too, where the address of its keys $name', async ({ answer }) => {
      const fetched = globalThis.fetch;
      let asked = 0;
      let now = 0;
      jest.spyOn(globalThis, 'fetch').mockImplementation((url, options) => {
        if (!hrefOf(url).endsWith('/jwks')) return fetched(url, options);
        asked += 1;
        return answer();
      });
      const keyless = new OidcProvider(settings(), { now: () => now });
      for (now = 0; now < 10_000; now += 1_000)
        await expect(keyless.authenticate(await aToken())).rejects.toMatchObject(away);
      expect(asked).toBe(2);
      jest.restoreAllMocks();
      expect(await keyless.authenticate(await aToken())).toMatchObject({ name: 'oidc:ann' });
    });

    it('what it says of itself counts on, also later', async () => {
      let now = 0;
      const known = new OidcProvider(settings(), { now: () => now });
      expect(await known.authenticate(await aToken())).toMatchObject({ name: 'oidc:ann' });
      now = 3_600_000;
      const asked = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
      for (let time = 0; time < 3; time += 1)
        expect(await known.authenticate(await aToken())).toMatchObject({ name: 'oidc:ann' });
      expect(asked).toHaveBeenCalledTimes(1);
    });

    it.each([
      { name: 'not answer', answer: () => Promise.reject(new TypeError('fetch failed')) },
      { name: 'answer 502', answer: () => Promise.resolve(new Response('', { status: 502 })) },
    ])('who comes back from it is told so where it does $name', async ({ answer: failure }) => {
      const begun = await fetch(`${application.url()}/auth/login`, { redirect: 'manual' });
      const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const fetched = globalThis.fetch;
      jest
        .spyOn(globalThis, 'fetch')
        .mockImplementation((url, options) =>
          hrefOf(url).endsWith('/token') ? failure() : fetched(url, options),
        );
      const back = `${application.url()}/auth/callback?code=x&state=${state}&iss=${provider.issuer}`;
      const answer = await fetch(back, { headers: { cookie } });
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'ProviderAway' }),
      ]);
    });
  });

  describe('what the provider says of itself', () => {
    const settings = () => application.nest.get<Configuration>(configurationToken).auth.oidc!;
    const aToken = () => provider.sign({ exp: soonSeconds(), groups: ['sre'] });
    const isDescription = (url: URL | string | Request): boolean =>
      hrefOf(url).endsWith('/.well-known/openid-configuration');

    it('is asked for again where its keys are there no more, which it may have moved', async () => {
      let now = 0;
      const moved = new OidcProvider(settings(), { now: () => now, keyCooldownMilliseconds: 0 });
      expect(await moved.authenticate(await aToken())).toMatchObject({ name: 'oidc:ann' });
      const fetched = globalThis.fetch;
      jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, options) => {
        if (hrefOf(url).endsWith('/moved')) return fetched(hrefOf(url).replace('/moved', '/jwks'), options);
        if (hrefOf(url).endsWith('/jwks')) return new Response('', { status: 404 });
        const answer = await fetched(url, options);
        if (!isDescription(url)) return answer;
        const text = (await answer.text()).replace('/jwks"', '/moved"');
        return new Response(text, { headers: answer.headers });
      });
      const ofNewKey = await provider.sign({ exp: soonSeconds(), groups: ['sre'] }, { kid: 'third' });
      const away = { problem: { code: 'Unavailable' } };
      await expect(moved.authenticate(ofNewKey)).rejects.toMatchObject(away);
      await soon('the keys are read where they are now', () => {
        now += 5_000;
        return moved.authenticate(ofNewKey).then(
          () => true,
          () => undefined,
        );
      });
      expect(await moved.authenticate(await aToken())).toMatchObject({ name: 'oidc:ann' });
    });

    it('is not believed where it leads to keys that are not at https://', async () => {
      const issuer = 'https://id.example.com';
      const asked: string[] = [];
      jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
        asked.push(hrefOf(url));
        return Promise.resolve(Response.json({ issuer, jwks_uri: 'http://id.example.com/jwks' }));
      });
      const plain = new OidcProvider({ ...settings(), issuer });
      await expect(plain.authenticate(await aToken())).rejects.toMatchObject({
        problem: { code: 'Unavailable' },
      });
      expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
    });
  });

  /** As a browser does: the provider's own pages, then back. */
  async function signIn(login: string) {
    const begun = await fetch(`${application.url()}/auth/login`, { redirect: 'manual' });
    const location = begun.headers.get('location') ?? '';
    const cookies = new Map<string, string>();
    const take = (response: Response): void => {
      for (const text of response.headers.getSetCookie()) {
        const [pair = ''] = text.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
    };
    take(begun);
    const [cookie = ''] = begun.headers.getSetCookie().map((text) => text.split(';')[0]);
    const header = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    let url = new URL(location);
    for (let step = 0; step < 20; step += 1) {
      const isInteraction = url.pathname.startsWith('/interaction/');
      const response = await fetch(url, {
        redirect: 'manual',
        headers: {
          cookie: header(),
          ...(isInteraction ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        },
        ...(isInteraction
          ? { method: 'POST', body: new URLSearchParams(await promptOf(url, header(), login)) }
          : {}),
      });
      take(response);
      const next = response.headers.get('location');
      if (next === null) {
        return {
          location,
          status: response.status,
          jar: response.headers.getSetCookie(),
          cookie,
          back: url,
          body: await response.json().catch((): unknown => null),
        };
      }
      url = new URL(next, url);
    }
    throw new Error('the sign-in does not end');
  }
});

async function promptOf(url: URL, cookie: string, login: string): Promise<Record<string, string>> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  return page.includes('name="login"') ? { prompt: 'login', login, password: 'x' } : { prompt: 'consent' };
}

/** As of a server that sends for as long as it is read. */
function withoutEnd(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(65_536, ' ')) });
}

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
}

function hrefOf(asked: string | URL | Request): string {
  return asked instanceof Request ? asked.url : String(asked);
}
