import { fenceTerms } from '../holdings/process-holdings.ts';
import type { ElectionTools } from '../leases/election-tools.ts';
import type { ReplicaLeases } from '../leases/replica-leases.ts';

/**
 * How long a replica has for its next answer once the database answers others. The fences, which nobody takes before they
 * have expired, last for as long after the renew deadline.
 */
const reconnectMilliseconds = fenceTerms.leaseDurationMilliseconds - fenceTerms.renewDeadlineMilliseconds;

export type DatabaseAnswersOptions = Pick<ElectionTools, 'clock' | 'terms'> & {
  readonly replicas: Pick<ReplicaLeases, 'isReachedSince'>;
};

/** When the database answered this replica last, and whether it answers others. */
export class DatabaseAnswers {
  readonly #options: DatabaseAnswersOptions;
  /** When the last question about fences was sent that was answered, by the clock of elections. */
  #answeredAt: number;
  /** When it was first seen that it answers another replica and not this one; null: it was not. */
  #elsewhereAt: number | null = null;

  constructor(options: DatabaseAnswersOptions) {
    this.#options = options;
    this.#answeredAt = options.clock.elapsed();
  }

  /** Takes in that a question was answered. */
  note(sentAt: number): void {
    this.#answeredAt = sentAt;
  }

  /** Whether it has answered lately: a replica that it does not answer can take nothing over. */
  get isReached(): boolean {
    return this.#options.clock.elapsed() - this.#answeredAt < this.#deadlineMilliseconds / 2;
  }

  /**
   * Whether what is held here can be carried out by others only: nothing can be recorded here any more, and another
   * replica has said since that the database answers it. Where the database answers no
   * replica, the holders go on deciding, and keep what they decide in their journals. After an outage of all of them each
   * has a moment to find out for itself: one is always the first to be answered again.
   */
  isElsewhereAlone(): boolean {
    const { clock, replicas } = this.#options;
    const now = clock.elapsed();
    const deadline = this.#answeredAt + this.#deadlineMilliseconds;
    const isElsewhere = now >= deadline && replicas.isReachedSince(deadline);
    this.#elsewhereAt = isElsewhere ? (this.#elsewhereAt ?? now) : null;
    if (this.#elsewhereAt === null || now - this.#elsewhereAt < reconnectMilliseconds) return false;
    // The first may have been on its way since before the outage.
    return replicas.isReachedSince(this.#elsewhereAt);
  }

  /** For how long a replica counts on a database that is silent. */
  get #deadlineMilliseconds(): number {
    return Math.min(this.#options.terms.renewDeadlineMilliseconds, fenceTerms.renewDeadlineMilliseconds);
  }
}
