import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { type Configuration, Provider } from 'oidc-provider';
import { interact, interactionPath } from './openid-interactions.ts';
import { openidMemory } from './openid-memory.ts';

/** A real OpenID provider on loopback. */
export interface TestOpenidProvider {
  readonly issuer: string;
  /** Signs with a key that it publishes. */
  readonly sign: (claims: JWTPayload, header?: object) => Promise<string>;
  /** Signs with another key from now on, and publishes it alone. */
  readonly rotate: () => Promise<void>;
  /** As published. */
  readonly publicKey: () => JWK;
  readonly stop: () => Promise<void>;
}

/** Who signs in: the account's id is the login that is given. */
const groups: Readonly<Record<string, readonly string[]>> = { ann: ['sre', 'other'], bo: ['strangers'] };

/** Starts it with a client `plimsoll`, whose users sign in by their names, and one for devices, `plimsoll-cli`. */
export async function startOpenidProvider(redirectUrl: () => string): Promise<TestOpenidProvider> {
  let key = await aKey('first');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = (): void => {
    const provider = providerAt(issuer, [key.jwk], redirectUrl());
    const answer = provider.callback();
    server.removeAllListeners('request').on('request', (request, response) => {
      const isAsked = request.url?.startsWith(interactionPath) === true;
      void (isAsked ? interact(provider, request, response) : answer(request, response));
    });
  };
  serve();
  return {
    issuer,
    sign: (claims, header = {}) =>
      new SignJWT({ iss: issuer, aud: 'plimsoll', sub: 'ann', ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(key.privateKey),
    rotate: async () => {
      key = await aKey('second');
      serve();
    },
    publicKey: () => key.publicJwk,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function aKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, jwk, publicJwk: await exportJWK(publicKey) };
}

const hour = 3_600;

/** What the provider would say otherwise of being one for development: it decides all of it, and has plain pages. */
const itsOwn: Configuration = {
  clientBasedCORS: () => false,
  ttl: {
    AccessToken: hour,
    DeviceCode: 600,
    Grant: hour,
    IdToken: hour,
    Interaction: hour,
    RefreshToken: hour,
    Session: hour,
  },
  interactions: { url: (_context, { uid }) => `${interactionPath}${uid}` },
  renderError: (context, { error }) => void (context.body = error),
  features: {
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (context, form) => void (context.body = form),
      userCodeConfirmSource: (context, form) => void (context.body = form),
      successSource: (context) => void (context.body = 'signed in'),
    },
  },
};

function providerAt(issuer: string, keys: readonly JWK[], redirectUrl: string): Provider {
  return new Provider(issuer, {
    ...itsOwn,
    adapter: openidMemory(),
    jwks: { keys: [...keys] },
    clients: [
      {
        client_id: 'plimsoll',
        client_secret: 'a-secret-of-the-client',
        redirect_uris: [redirectUrl === '' ? 'http://127.0.0.1/auth/callback' : redirectUrl],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: 'plimsoll-cli',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups', 'nickname'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a-key-of-cookies'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: true,
        nickname: `the-${id}`,
        groups: [...(groups[id] ?? [])],
      }),
    }),
  });
}
