import type { GitNoteLog } from '#adapter-git';
import { parseCheckpointNote, type SigningKey } from '#ledger';
import type { CheckpointSink } from './checkpoint-sink.ts';
import { lacking } from './lacking-notes.ts';

const file = 'checkpoint.note';

/** Commits each note to a ref of a repository, as its only file: the ref's history has them all. */
export class GitSink implements CheckpointSink {
  readonly name = 'git';
  readonly #open: () => Promise<GitNoteLog>;
  #log: GitNoteLog | null = null;

  constructor(open: () => Promise<GitNoteLog>) {
    this.#open = open;
  }

  async deliver(notes: readonly string[], publicKey: SigningKey['publicKey']): Promise<void> {
    const log = (this.#log ??= await this.#open());
    const missing = lacking(await log.load(file), notes, publicKey);
    await log.append(
      missing.map((text) => {
        const body = parseCheckpointNote(text)?.body;
        const message = `checkpoint ${String(body?.number)} of ${body?.origin ?? ''}`;
        return { file, text, message, time: body?.time ?? '' };
      }),
    );
  }

  async lastNote(): Promise<string | null> {
    const log = (this.#log ??= await this.#open());
    return log.load(file);
  }
}
