import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

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
const groups: Readonly<Record<string, readonly string[]>> = { ann: ['sre', 'other'], bo: [] };

/** Starts it with a client `plimsoll`, whose users sign in by their names, and one for devices, `plimsoll-cli`. */
export async function startOpenidProvider(redirectUrl: () => string): Promise<TestOpenidProvider> {
  let key = await aKey('first');
  let callback = (await providerAt('http://127.0.0.1:0', [key.jwk], '')).callback();
  const server = createServer((request, response) => void callback(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = async (): Promise<void> => {
    callback = (await providerAt(issuer, [key.jwk], redirectUrl())).callback();
  };
  await serve();
  return {
    issuer,
    sign: (claims, header = {}) =>
      new SignJWT({ iss: issuer, aud: 'plimsoll', sub: 'ann', ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(key.privateKey),
    rotate: async () => {
      key = await aKey('second');
      await serve();
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

function providerAt(issuer: string, keys: readonly JWK[], redirectUrl: string): Promise<Provider> {
  const provider = new Provider(issuer, {
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
    features: { deviceFlow: { enabled: true } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a-key-of-cookies'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: true,
        groups: [...(groups[id] ?? [])],
      }),
    }),
  });
  return Promise.resolve(provider);
}
