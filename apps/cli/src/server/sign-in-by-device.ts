import { setTimeout as delay } from 'node:timers/promises';
import {
  type Configuration,
  type DeviceAuthorizationResponse,
  genericGrantRequest,
  initiateDeviceAuthorization,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'openid-client';
import type { DeviceSignIn } from '#contracts';
import { UnusableError } from '../unusable-error.ts';
import { onOneLine } from './one-line.ts';
import { discoverProvider, faultOf, isUnanswered, type ProviderToken, signedIn } from './openid-provider.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** Where the provider names no interval, and by how much one that is too short grows (RFC 8628, 3.2 and 3.5). */
const usualIntervalSeconds = 5;
const slowerBySeconds = 5;

/** Nobody waits at a terminal for longer, whatever the provider allows. */
const longestWaitSeconds = 3_600;

/** The person, or the provider for them, said no. */
export class SignInRefusedError extends Error {
  override readonly name = 'SignInRefusedError';
}

/** What a sign-in does meanwhile. */
export interface Waiting {
  /** Says where to go, and what to enter there. */
  readonly say: (line: string) => void;
  /** Absent: the clock's. */
  readonly wait?: (seconds: number) => Promise<unknown>;
}

/**
 * Signs a person in who confirms it in a browser, on this machine or another (RFC 8628).
 *
 * @throws SignInRefusedError; UnusableError where the provider knows no such flow, or does not answer
 */
export async function signInByDevice(
  { issuer, clientId, scopes }: DeviceSignIn,
  { say, wait = waitSeconds }: Waiting,
): Promise<ProviderToken> {
  const provider = await discoverProvider(issuer, clientId);
  const scope = scopesOf(provider, scopes).join(' ');
  const begun = await initiateDeviceAuthorization(provider, { scope }).catch((error: unknown) => {
    const { device_authorization_endpoint: endpoint } = provider.serverMetadata();
    throw new UnusableError(
      endpoint === undefined
        ? `the provider ${issuer} does not sign devices in: log in with --token-file`
        : `the provider ${issuer} ${faultOf(error)}`,
    );
  });
  for (const line of instructions(begun)) say(line);
  return signedIn(await confirmed(provider, begun, wait), { issuer, clientId });
}

/** A sign-in that outlives its first token is asked for where the provider has such. */
function scopesOf(provider: Configuration, scopes: readonly string[]): readonly string[] {
  const { scopes_supported: supported } = provider.serverMetadata();
  const isOffered = supported === undefined || supported.includes('offline_access');
  return [...new Set([...scopes, ...(isOffered ? ['offline_access'] : [])])];
}

function instructions(begun: DeviceAuthorizationResponse): readonly string[] {
  const { verification_uri: page, verification_uri_complete: whole, user_code: code } = begun;
  return [
    `open ${onOneLine(page)} in a browser, and enter the code ${onOneLine(code)}`,
    ...(whole === undefined ? [] : [`or open ${onOneLine(whole)}, and compare the code`]),
  ];
}

/** Asks until the person has answered, or the code is over. */
async function confirmed(
  provider: Configuration,
  { device_code: code, expires_in: lifetime, interval }: DeviceAuthorizationResponse,
  wait: (seconds: number) => Promise<unknown>,
): Promise<TokenEndpointResponse> {
  let seconds = Math.max(1, interval ?? usualIntervalSeconds);
  const end = Math.min(lifetime, longestWaitSeconds);
  for (let waited = seconds; waited <= end; waited += seconds) {
    await wait(seconds);
    try {
      return await genericGrantRequest(provider, grantType, { device_code: code });
    } catch (error) {
      if (!mayYetBe(error)) throw refusal(provider, error);
      if (!isPending(error)) seconds += slowerBySeconds;
    }
  }
  throw new SignInRefusedError('the code was not confirmed in time');
}

function isPending(error: unknown): boolean {
  return error instanceof ResponseBodyError && error.error === 'authorization_pending';
}

/** What is only a matter of time; a request that is not answered is one, too (RFC 8628, 3.5). */
function mayYetBe(error: unknown): boolean {
  if (isPending(error)) return true;
  return error instanceof ResponseBodyError ? error.error === 'slow_down' : isUnanswered(error);
}

function refusal(provider: Configuration, error: unknown): Error {
  const code = error instanceof ResponseBodyError ? error.error : '';
  if (code === 'access_denied') return new SignInRefusedError('the sign-in was denied');
  if (code === 'expired_token') return new SignInRefusedError('the code was not confirmed in time');
  return new UnusableError(`the provider ${provider.serverMetadata().issuer} ${faultOf(error)}`);
}

function waitSeconds(seconds: number): Promise<unknown> {
  return delay(seconds * 1_000);
}
