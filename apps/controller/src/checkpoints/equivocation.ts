/**
 * Two histories of one ledger, or an entry that is another than it was when it was sealed: somebody changed the database
 * by other means than Plimsoll, or put an older one in its place.
 */
export class Equivocation extends Error {
  /** For every viewer: it names no stream, which is of a policy, and repeats no note. */
  readonly summary: string;

  /** @param message is for the log, with both sides in full */
  constructor(message: string, summary: string) {
    super(`equivocation: ${message}`);
    this.summary = summary;
  }
}
