/** Where checkpoints are sent outside the database. */
export interface CheckpointSink {
  readonly name: 'file' | 'http' | 'git';
  /**
   * Takes notes in the order of their numbers, and passes over those that it has.
   *
   * @throws what says why it took none of them, or only some
   */
  deliver(notes: readonly string[]): Promise<void>;
  /** The last note that it has; `null`: none. @throws where it cannot be read, now or ever */
  lastNote(): Promise<string | null>;
}
