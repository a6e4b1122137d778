/** How long Leases last and how often they are renewed; the same for all replicas of an installation. */
export interface LeaseTerms {
  /** A Lease that was not seen to change for so long may be taken over. */
  readonly leaseDurationMilliseconds: number;
  /** A holder that could not renew for so long writes nothing any more, and gives up; less than the duration. */
  readonly renewDeadlineMilliseconds: number;
  /** Between two attempts; less than the deadline. */
  readonly retryPeriodMilliseconds: number;
}

/** As client-go's `JitterFactor`: replicas that wait for the same Lease do not ask at the same moment. */
const jitterFactor = 1.2;

/**
 * How long a replica that waits for Leases lets pass between two attempts, in milliseconds.
 *
 * @param random in [0, 1)
 * @returns for a period of 2,000: 2,000 to 4,400
 * @see https://github.com/kubernetes/client-go/blob/master/tools/leaderelection/leaderelection.go
 */
export function retryMilliseconds({ retryPeriodMilliseconds }: LeaseTerms, random: number): number {
  return retryPeriodMilliseconds * (1 + random * jitterFactor);
}
