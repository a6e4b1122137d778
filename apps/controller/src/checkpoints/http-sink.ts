import { createHmac } from 'node:crypto';
import { loadSecrets, requestText } from '#adapter-git';
import type { Configuration } from '#configuration';
import { AdapterError, canonicalJson, withoutUndefined } from '#kernel';
import { parseCheckpointNote } from '#ledger';
import type { CheckpointSink } from './checkpoint-sink.ts';

/** What is read of an answer, which means nothing beside its status. */
const maximumAnswerBytes = 64 * 1024;

type HttpConfiguration = NonNullable<Configuration['checkpoints']['http']>;

/** Posts notes one by one, signed as Standard Webhooks are; a receiver knows a repeated one by its id. */
export class HttpSink implements CheckpointSink {
  readonly name = 'http';
  readonly #configuration: HttpConfiguration;
  readonly #now: () => string;

  constructor(configuration: HttpConfiguration, now: () => string) {
    this.#configuration = configuration;
    this.#now = now;
  }

  async deliver(notes: readonly string[]): Promise<void> {
    for (const note of notes) await this.#post(note);
  }

  lastNote(): Promise<never> {
    return Promise.reject(
      new AdapterError({ code: 'Unreadable', message: 'a receiver cannot be asked', retryable: false }),
    );
  }

  async #post(note: string): Promise<void> {
    const { url, secretFile, caFile, proxyFile } = this.#configuration;
    const message = messageOf(note);
    const timestamp = String(Math.floor(Date.parse(this.#now()) / 1_000));
    const signed = `${message.id}.${timestamp}.${message.text}`;
    const secrets = await loadSecrets(secretFile);
    const { status } = await requestText({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, signed)}`).join(' '),
      },
      body: message.text,
      maximumBytes: maximumAnswerBytes,
      ...withoutUndefined({ caFile, proxyFile }),
    });
    if (status >= 200 && status < 300) return;
    throw new AdapterError({
      code: 'Refused',
      message: `${new URL(url).origin} answered ${message.id} with status ${status}`,
      retryable: true,
    });
  }
}

/** A repeated note has the same id. */
function messageOf(note: string): { readonly id: string; readonly text: string } {
  const body = parseCheckpointNote(note)?.body;
  const origin = body?.origin ?? '';
  const number = String(body?.number ?? 0);
  return { id: `${origin}/${number}`, text: canonicalJson({ kind: 'Checkpoint', note, number, origin }) };
}

/** Secrets are the text itself, or `whsec_` and base64. */
function signatureOf(secret: string, text: string): string {
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
