import { createSign } from 'node:crypto';
import type { GitHubAppCredentials } from '#git-sync';
import { AdapterError, isJsonObject } from '#kernel';
import type { NetworkFiles } from '../network/network-files.ts';
import { requestText } from '../network/request-text.ts';
import { appTokenMarginMilliseconds, maximumApiBytes } from '../run/git-limits.ts';

interface InstallationToken {
  readonly token: string;
  readonly expiresAtMilliseconds: number;
}

interface KeptToken extends InstallationToken {
  /** How often it was handed out. */
  uses: number;
}

/** GitHub accepts at most ten minutes; a clock that runs ahead is taken into account. */
const jwtLifetimeSeconds = 9 * 60;
const clockSkewSeconds = 60;

/** Makes installation tokens of GitHub Apps, and keeps each until shortly before its end or until it is refused. */
export class GitHubAppTokens {
  readonly #now: () => number;
  readonly #kept = new Map<string, KeptToken>();

  /** `now` in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * A valid token.
   *
   * @throws AdapterError without the key or the token
   */
  async load(app: GitHubAppCredentials, privateKey: string, network: NetworkFiles): Promise<string> {
    const kept = this.#kept.get(idOf(app));
    if (kept !== undefined && kept.expiresAtMilliseconds - appTokenMarginMilliseconds > this.#now()) {
      kept.uses += 1;
      return kept.token;
    }
    const made = await requestToken(app, jsonWebToken(app, privateKey, this.#now()), network);
    this.#kept.set(idOf(app), { ...made, uses: 1 });
    return made.token;
  }

  /**
   * Forgets a token that was refused: it was revoked, or the App installed anew. True where another may fare better,
   * false where the token had only just been made.
   */
  forget(app: GitHubAppCredentials): boolean {
    const kept = this.#kept.get(idOf(app));
    this.#kept.delete(idOf(app));
    return kept !== undefined && kept.uses > 1;
  }
}

function idOf(app: GitHubAppCredentials): string {
  return `${app.apiUrl} ${app.appId} ${app.installationId}`;
}

function jsonWebToken(app: GitHubAppCredentials, privateKey: string, nowMilliseconds: number): string {
  const now = Math.floor(nowMilliseconds / 1000);
  const head = base64(JSON.stringify({ alg: 'RS256', typ: 'JWT' }));
  const claims = { iat: now - clockSkewSeconds, exp: now + jwtLifetimeSeconds, iss: app.appId };
  const body = `${head}.${base64(JSON.stringify(claims))}`;
  try {
    return `${body}.${createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')}`;
  } catch {
    throw new AdapterError({
      code: 'CredentialsInvalid',
      message: `credentials.githubApp.privateKeyFile: ${JSON.stringify(app.privateKeyFile)} holds no RSA private key`,
      retryable: false,
    });
  }
}

async function requestToken(
  app: GitHubAppCredentials,
  jwt: string,
  network: NetworkFiles,
): Promise<InstallationToken> {
  const { status, text } = await requestText({
    url: `${app.apiUrl.replace(/\/$/, '')}/app/installations/${encodeURIComponent(app.installationId)}/access_tokens`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${jwt}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'plimsoll',
    },
    maximumBytes: maximumApiBytes,
    ...network,
  });
  const body = jsonOf(text);
  if (status === 201 && isJsonObject(body)) {
    const { token, expires_at: end } = body;
    const expiresAtMilliseconds = Date.parse(typeof end === 'string' ? end : '');
    if (typeof token === 'string' && !Number.isNaN(expiresAtMilliseconds))
      return { token, expiresAtMilliseconds };
  }
  throw refused(status);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refused(status: number): AdapterError {
  return new AdapterError({
    code: 'AuthenticationFailed',
    message: `GitHub answered ${status} to the request for the App's token`,
    retryable: status >= 500 || status === 429,
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
