import { createHmac } from 'node:crypto';
import { loadSecrets, requestText } from '#adapter-git';
import type { Configuration } from '#configuration';
import { AdapterError, withoutUndefined } from '#kernel';

/** What is read of an answer, which means nothing beside its status. */
const maximumAnswerBytes = 64 * 1024;

/** Where something is posted, and what signs it. */
export type SignedReceiver = NonNullable<Configuration['checkpoints']['http']>;

/** What is posted. */
export interface SignedMessage {
  /** The same whenever it is sent again: a receiver knows it by that. */
  readonly id: string;
  readonly contentType: string;
  readonly text: string;
  /** RFC 3339. */
  readonly now: string;
}

/** Posts a text, signed as Standard Webhooks are. @throws AdapterError where it is not taken, or the signal is aborted first */
export async function postSigned(
  { url, secretFile, caFile, proxyFile }: SignedReceiver,
  { id, contentType, text, now }: SignedMessage,
  signal?: AbortSignal,
): Promise<void> {
  const timestamp = String(Math.floor(Date.parse(now) / 1_000));
  const secrets = await loadSecrets(secretFile);
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${id}.${timestamp}.${text}`)}`);
  const { status } = await requestText({
    url,
    method: 'POST',
    headers: {
      'content-type': contentType,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body: text,
    maximumBytes: maximumAnswerBytes,
    ...withoutUndefined({ caFile, proxyFile, signal }),
  });
  if (status >= 200 && status < 300) return;
  throw new AdapterError({
    code: 'Refused',
    message: `${new URL(url).origin} answered ${id} with status ${status}`,
    retryable: true,
  });
}

/** Secrets are the text itself, or `whsec_` and base64. */
function signatureOf(secret: string, text: string): string {
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
