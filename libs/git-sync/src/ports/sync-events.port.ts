import type { SyncOutcome } from './sync-outcome.ts';

/** Who hears of syncs. Neither method may throw. */
export interface SyncEventsPort {
  /** A commit was fetched that is new, and is now judged. */
  judging(source: string, commit: string): void;
  /** A sync, a rollback or an approval has ended. */
  ended(outcome: SyncOutcome): void;
}
