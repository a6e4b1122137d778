import { AdapterError, canonicalJson } from '#kernel';
import { parseCheckpointNote } from '#ledger';
import type { CheckpointSink } from './checkpoint-sink.ts';
import { postSigned, type SignedReceiver } from './signed-post.ts';

/** Posts notes one by one, signed as Standard Webhooks are; a receiver knows a repeated one by its id. */
export class HttpSink implements CheckpointSink {
  readonly name = 'http';
  readonly #receiver: SignedReceiver;
  readonly #now: () => string;

  constructor(receiver: SignedReceiver, now: () => string) {
    this.#receiver = receiver;
    this.#now = now;
  }

  async deliver(notes: readonly string[], _publicKey?: unknown, signal?: AbortSignal): Promise<void> {
    for (const note of notes) await this.#post(note, signal);
  }

  lastNote(): Promise<never> {
    return Promise.reject(
      new AdapterError({ code: 'Unreadable', message: 'a receiver cannot be asked', retryable: false }),
    );
  }

  #post(note: string, signal: AbortSignal | undefined): Promise<void> {
    const { id, text } = messageOf(note);
    const message = { id, text, contentType: 'application/json', now: this.#now() };
    return postSigned(this.#receiver, message, signal);
  }
}

/** A repeated note has the same id. */
function messageOf(note: string): { readonly id: string; readonly text: string } {
  const body = parseCheckpointNote(note)?.body;
  const origin = body?.origin ?? '';
  const number = String(body?.number ?? 0);
  return { id: `${origin}/${number}`, text: canonicalJson({ kind: 'Checkpoint', note, number, origin }) };
}
