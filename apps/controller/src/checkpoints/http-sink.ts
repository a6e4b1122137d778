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

  async deliver(notes: readonly string[]): Promise<void> {
    for (const note of notes) await this.#post(note);
  }

  lastNote(): Promise<never> {
    return Promise.reject(
      new AdapterError({ code: 'Unreadable', message: 'a receiver cannot be asked', retryable: false }),
    );
  }

  #post(note: string): Promise<void> {
    const { id, text } = messageOf(note);
    return postSigned(this.#receiver, { id, text, contentType: 'application/json', now: this.#now() });
  }
}

/** A repeated note has the same id. */
function messageOf(note: string): { readonly id: string; readonly text: string } {
  const body = parseCheckpointNote(note)?.body;
  const origin = body?.origin ?? '';
  const number = String(body?.number ?? 0);
  return { id: `${origin}/${number}`, text: canonicalJson({ kind: 'Checkpoint', note, number, origin }) };
}
