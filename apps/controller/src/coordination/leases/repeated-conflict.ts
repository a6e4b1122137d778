import type { Attempt, StoredLease } from '#coordination';
import { AdapterError } from '#kernel';

/** A write that was refused as one of a former version. */
interface Refusal {
  /** Of the Lease as the write found it; null: there was none. */
  readonly version: string | null;
  /** When the refusal came, by the clock of elections. */
  readonly at: number;
  /** A later look has found that version to be the present one. */
  readonly isPresent: boolean;
}

/**
 * Tells an API server that refuses every write of one Lease from another writer that was quicker: that one has left
 * another version. A webhook, a proxy or a quota may answer 409 for ever, and each such answer looks like a race.
 */
export class RepeatedConflict {
  readonly #name: string;
  #refusal: Refusal | null = null;

  /** @param name of the Lease */
  constructor(name: string) {
    this.#name = name;
  }

  /** Takes in what a look found that began at that moment, by the clock of elections. */
  observe(lease: StoredLease | null, sentAt: number): void {
    const refusal = this.#refusal;
    // One that began before may have been answered before the other writer came.
    if (refusal === null || sentAt < refusal.at) return;
    this.#refusal =
      refusal.version === (lease?.resourceVersion ?? null) ? { ...refusal, isPresent: true } : null;
  }

  noteWritten(): void {
    this.#refusal = null;
  }

  /**
   * Takes in that a write was refused, at a moment by the clock of elections.
   *
   * @throws AdapterError where one of the same version was refused before, and nobody has changed it
   */
  noteRefused(attempt: Attempt, at: number): void {
    const version = attempt.kind === 'Create' ? null : attempt.observed.resourceVersion;
    const before = this.#refusal;
    if (before?.version === version && before.isPresent) {
      const lease = version === null ? 'there is none of that name' : `version ${version} is the present one`;
      const message = `${this.#name} is refused (409) again and again, though ${lease}: what stands before the API server, or an admission webhook, may answer so`;
      throw new AdapterError({ code: 'Conflict', message, retryable: true });
    }
    this.#refusal = { version, at, isPresent: false };
  }
}
