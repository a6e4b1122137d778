import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookProvider } from '#configuration';
import { err, ok, type Result } from '#kernel';
import { type Delivery, headerOf } from './delivery.ts';

/** Why a delivery is not believed. */
export type VerificationFailure =
  | 'SignatureMissing'
  | 'SignatureMismatch'
  | 'DeliveryIdMissing'
  | 'TimestampMissing'
  | 'TimestampOutOfBounds';

/** A delivery whose sender knows the secret. */
export interface VerifiedDelivery {
  /** A delivery that shares one of these with an earlier one is a repetition. */
  readonly replayKeys: readonly string[];
}

/** What a delivery is held to. */
export interface VerificationContext {
  /** Each is accepted: while a secret is rotated there are two. */
  readonly secrets: readonly string[];
  /** Seconds since 1970. */
  readonly nowSeconds: number;
}

/** How far a signed timestamp may be from our clock, either way, in seconds: what Standard Webhooks suggests. */
export const timestampToleranceSeconds = 300;

/** Senders that rotate sign with two or three keys; a header with more is an attempt to make us compute. */
const maximumSignatures = 8;

const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const signingTokenPrefix = 'whsec_';

/** Which headers may carry what authenticates a delivery of the provider. */
const signatureHeaders: Readonly<Record<WebhookProvider, readonly string[]>> = {
  github: ['x-hub-signature-256'],
  gitlab: ['webhook-signature', 'x-gitlab-token'],
  gitea: ['x-gitea-signature'],
  bitbucket: ['x-hub-signature'],
  generic: ['webhook-signature'],
};

/** Which headers name the delivery. They are not signed, except in the standard form. */
const deliveryHeaders: Readonly<Record<WebhookProvider, readonly string[]>> = {
  github: ['x-github-delivery'],
  gitlab: ['idempotency-key', 'x-gitlab-event-uuid'],
  gitea: ['x-gitea-delivery'],
  bitbucket: ['x-request-uuid', 'x-request-id'],
  generic: ['webhook-id'],
};

/**
 * Which headers name the hook at the forge: the same at every delivery of it, and no stranger knows them. Gitea and
 * generic senders have none.
 */
const hookHeaders = ['x-github-hook-id', 'x-gitlab-webhook-uuid', 'x-hook-uuid'] as const;

/** An id or a UUID, in braces at Bitbucket. */
const hookName = /^[0-9A-Za-z{}-]{1,64}$/;

/** The names of the hook that the headers give, whatever the provider: they prove nothing, but can be recognised. */
export function hookNamesOf(headers: IncomingHttpHeaders): readonly string[] {
  return hookHeaders.flatMap((header) => {
    const value = headerOf(headers, header);
    return value !== undefined && hookName.test(value) ? [`${header} ${value}`] : [];
  });
}

/** Whether the headers carry something of the form that authenticates a delivery of the provider. */
export function hasSignature(provider: WebhookProvider, headers: IncomingHttpHeaders): boolean {
  return signatureHeaders[provider].some((name) => {
    const value = headerOf(headers, name);
    return value !== undefined && (name === 'x-gitlab-token' || isSignature(value));
  });
}

/** Hexadecimal digits of SHA-256, or a list of Standard Webhooks that has a `v1` in it. */
function isSignature(value: string): boolean {
  const isDigest = /^(?:sha256=)?[0-9a-f]{64}$/i.test(value);
  return isDigest || value.split(' ').some((signature) => signature.startsWith('v1,'));
}

/** Whether the headers name the delivery; GitLab before 17.4 does not. */
export function hasDeliveryId(provider: WebhookProvider, headers: IncomingHttpHeaders): boolean {
  return (
    provider === 'gitlab' || deliveryHeaders[provider].some((name) => headerOf(headers, name) !== undefined)
  );
}

/**
 * Checks who sent a delivery, over its raw bytes and in constant time.
 *
 * GitHub, Gitea and Bitbucket sign the body with HMAC-SHA256; GitLab sends its token, or, where the secret begins with
 * `whsec_`, signs as Standard Webhooks does (and then its token alone is not enough); generic senders sign so too.
 *
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * @see https://www.standardwebhooks.com
 */
export function verifyDelivery(
  provider: WebhookProvider,
  delivery: Delivery,
  context: VerificationContext,
): Result<VerifiedDelivery, VerificationFailure> {
  switch (provider) {
    case 'github':
    case 'bitbucket':
    case 'gitea':
      return verifyBodySignature(provider, delivery, context);
    case 'generic':
      return verifyStandard(delivery, context);
    case 'gitlab':
      return verifyGitLab(delivery, context);
  }
}

function verifyBodySignature(
  provider: 'github' | 'bitbucket' | 'gitea',
  delivery: Delivery,
  { secrets }: VerificationContext,
): Result<VerifiedDelivery, VerificationFailure> {
  const [name = ''] = signatureHeaders[provider];
  const header = headerOf(delivery.headers, name);
  if (header === undefined) return err('SignatureMissing');
  const digits = provider === 'gitea' ? header : header.replace(/^sha256=/, '');
  const given = /^[0-9a-f]{64}$/i.test(digits) ? Buffer.from(digits, 'hex') : Buffer.alloc(0);
  const matches = secrets.filter((secret) => isSame(hmac(Buffer.from(secret), delivery.body), given));
  return matches.length > 0 ? ok(unsignedIdentity(provider, delivery)) : err('SignatureMismatch');
}

function verifyGitLab(
  delivery: Delivery,
  context: VerificationContext,
): Result<VerifiedDelivery, VerificationFailure> {
  const signing = context.secrets.filter((secret) => secret.startsWith(signingTokenPrefix));
  const tokens = context.secrets.filter((secret) => !secret.startsWith(signingTokenPrefix));
  const signed =
    signing.length === 0 ? undefined : verifyStandard(delivery, { ...context, secrets: signing });
  if (signed?.ok === true || tokens.length === 0) return signed ?? err('SignatureMissing');
  const given = headerOf(delivery.headers, 'x-gitlab-token');
  if (given === undefined) return signed ?? err('SignatureMissing');
  // Digests are compared: they have one length, so that not even the length of the secret shows.
  const bytes = sha256(Buffer.from(given, 'latin1'));
  const matches = tokens.filter((token) => isSame(sha256(token), bytes));
  return matches.length > 0 ? ok(unsignedIdentity('gitlab', delivery)) : err('SignatureMismatch');
}

function verifyStandard(
  { headers, body }: Delivery,
  { secrets, nowSeconds }: VerificationContext,
): Result<VerifiedDelivery, VerificationFailure> {
  const [id, timestamp, signatures] = standardHeaders.map((name) => headerOf(headers, name));
  if (signatures === undefined) return err('SignatureMissing');
  if (id === undefined) return err('DeliveryIdMissing');
  if (timestamp === undefined || !/^[0-9]{1,12}$/.test(timestamp)) return err('TimestampMissing');
  const given = signatures
    .split(' ')
    .slice(0, maximumSignatures)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const matches = secrets
    .map((secret) => hmac(keyOf(secret), signed))
    .filter((expected) => given.filter((signature) => isSame(expected, signature)).length > 0);
  if (matches.length === 0) return err('SignatureMismatch');
  // Only now: the timestamp of a stranger says nothing.
  if (Math.abs(nowSeconds - Number(timestamp)) > timestampToleranceSeconds)
    return err('TimestampOutOfBounds');
  return ok({ replayKeys: [`id:${id}`] });
}

/** The key of a `whsec_` token is base64; any other secret is the key as it stands. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith(signingTokenPrefix)) return Buffer.from(secret);
  return Buffer.from(secret.slice(signingTokenPrefix.length), 'base64');
}

/** The id is not signed, so a repetition could change it: the body counts too. */
function unsignedIdentity(provider: WebhookProvider, { headers, body }: Delivery): VerifiedDelivery {
  const ids = deliveryHeaders[provider].flatMap((name) => headerOf(headers, name) ?? []).slice(0, 1);
  return { replayKeys: [...ids.map((id) => `id:${id}`), `body:${sha256(body).toString('base64')}`] };
}

function hmac(key: Buffer, text: Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Every byte is compared, whatever the first ones are; both sides are digests, whose length is no secret. */
function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}
