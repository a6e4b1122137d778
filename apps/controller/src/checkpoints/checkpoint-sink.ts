import type { SigningKey } from '#ledger';

/** Where checkpoints are sent outside the database. */
export interface CheckpointSink {
  readonly name: 'file' | 'http' | 'git';
  /**
   * Takes notes in the order of their numbers, and passes over those that it has.
   *
   * @param publicKey of the key that signs them: only what is signed with it counts as later than they are
   * @param signal is aborted when nobody waits for it any more
   * @throws what says why it took none of them, or only some
   */
  deliver(notes: readonly string[], publicKey: SigningKey['publicKey'], signal?: AbortSignal): Promise<void>;
  /** The last note that it has; `null`: none. @throws where it cannot be read, now or ever */
  lastNote(): Promise<string | null>;
}
