import type { LeaseTerms } from './lease-terms.ts';

/** When the two rights that a holder has were last renewed: when the renewals that succeeded were sent. */
export interface Renewals {
  /** Of the Lease; null: there are no Leases. */
  readonly lease: number | null;
  /** Of the fence in the database. */
  readonly fence: number;
}

/**
 * Whether a holder may send a write to Kubernetes now: it has renewed both of its rights within the deadline. Whoever
 * takes over does so only after a right has lasted for longer than that. To be asked directly before the request is
 * sent, *after* the version was read that the request is made on, and so again after each 409: a version that was read
 * before a right was found in force is never the one that a successor leaves.
 *
 * @param now by the clock of the renewals, which also runs while the process is stopped
 */
export function mayWrite({ lease, fence }: Renewals, now: number, terms: LeaseTerms): boolean {
  const oldest = lease === null ? fence : Math.min(lease, fence);
  return now - oldest < terms.renewDeadlineMilliseconds;
}
