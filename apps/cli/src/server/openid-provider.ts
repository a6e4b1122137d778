import {
  allowInsecureRequests,
  ClientError,
  type Configuration,
  customFetch,
  type CustomFetchOptions,
  discovery,
  None,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'openid-client';
import { messageOf } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import { AnswerTooLargeError, openAnswer, wholeAnswer } from './http-exchange.ts';
import { onOneLine, reasonOf } from './one-line.ts';
import { isPrivate } from './server-url.ts';

/** Of one request to the provider. */
const timeoutSeconds = 10;

/** A provider's description of itself and its tokens have some kB. */
const maximumAnswerBytes = 1024 * 1024;

/** Before a token ends another one is asked for: the request that carries it takes its time, too. */
const earlySeconds = 60;

/** How a token is renewed that a provider gave. */
export interface Renewal {
  readonly issuer: string;
  readonly clientId: string;
  readonly refreshToken: string;
  /** RFC 3339. */
  readonly renewAt: string;
}

/** A token, and how it is renewed. */
export interface ProviderToken {
  readonly token: string;
  /** Absent: the token is what it is. */
  readonly renewal?: Renewal;
}

/** What the provider says of itself. @throws UnusableError */
export async function discoverProvider(issuer: string, clientId: string): Promise<Configuration> {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !isPrivate(url))
    throw new UnusableError(`the provider ${onOneLine(issuer)} is not https://, or http:// on loopback`);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated to be seen, not to go
    const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
    const options = { timeout: timeoutSeconds, [customFetch]: fetchWhole, execute };
    return await discovery(url, clientId, {}, None(), options);
  } catch (error) {
    throw new UnusableError(`the provider ${issuer} ${faultOf(error)}`);
  }
}

/**
 * As `fetch`, for what asks a provider and would read an answer of any length: it is read whole here, within the time that the
 * signal allows.
 */
async function fetchWhole(
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
): Promise<Response> {
  // What is sent is the fields of a form, or nothing.
  const text = body === undefined || body === null ? undefined : String(body as URLSearchParams);
  const options = { method, headers, ...(signal !== undefined && { signal }) };
  try {
    const answer = await wholeAnswer(await openAnswer(new URL(url), text, options), maximumAnswerBytes);
    const type = answer.headers['content-type'];
    return new Response(answer.text === '' ? null : answer.text, {
      status: answer.status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  } catch (error) {
    if (error instanceof AnswerTooLargeError) throw error;
    throw new TypeError('fetch failed', { cause: error });
  }
}

/** What a provider's refusal or silence was, as the end of a sentence about the provider. */
export function faultOf(error: unknown): string {
  if (error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    return onOneLine(`refuses: ${description === undefined ? code : `${code}, ${description}`}`);
  }
  if (isUnanswered(error)) return onOneLine(`does not answer: ${reasonOf(error)}`);
  return onOneLine(`does not answer as an OpenID provider: ${messageOf(innermost(error))}`);
}

/** Errors of another realm are wrapped, and have no code of their own. */
function innermost(error: unknown): unknown {
  return error instanceof ClientError && error.code === undefined ? innermost(error.cause) : error;
}

/** Whether a provider was not reached, or not in time. */
export function isUnanswered(error: unknown): boolean {
  const { name, code } = innermost(error) as NodeJS.ErrnoException;
  return code === 'OAUTH_TIMEOUT' || name === 'TimeoutError' || name === 'TypeError';
}

/** The token of an answer, and how it is renewed. @throws UnusableError where the answer has no ID token */
export function signedIn(
  answer: TokenEndpointResponse,
  { issuer, clientId, refreshToken }: Partial<Renewal> & Pick<Renewal, 'issuer' | 'clientId'>,
): ProviderToken {
  const { id_token: token, refresh_token: newer = refreshToken } = answer;
  if (token === undefined)
    throw new UnusableError(`the provider ${issuer} gives no ID token; is openid among auth.oidc.scopes?`);
  if (newer === undefined) return { token };
  const renewAt = new Date(Date.now() + 1_000 * (lifeSeconds(token) - earlySeconds)).toISOString();
  return { token, renewal: { issuer, clientId, refreshToken: newer, renewAt } };
}

/** A token in the place of one that ends. @throws UnusableError where the sign-in has ended */
export async function renewedToken(renewal: Renewal): Promise<ProviderToken> {
  const { issuer, clientId, refreshToken } = renewal;
  const provider = await discoverProvider(issuer, clientId);
  const answer = await refreshTokenGrant(provider, refreshToken).catch((error: unknown) => {
    const cure = error instanceof ResponseBodyError ? ': log in again' : '';
    throw new UnusableError(`the provider ${issuer} ${faultOf(error)}${cure}`);
  });
  return signedIn(answer, renewal);
}

/** By the clock of the provider, which may differ from that of this machine. */
function lifeSeconds(token: string): number {
  try {
    const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { iat, exp } = JSON.parse(text) as { readonly iat?: unknown; readonly exp?: unknown };
    return typeof iat === 'number' && typeof exp === 'number' ? exp - iat : 0;
  } catch {
    return 0;
  }
}
