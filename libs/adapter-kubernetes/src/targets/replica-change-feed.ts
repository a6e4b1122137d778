import type { ReplicaChange, ReplicaChangeListener, ReplicaChangesPort } from '#reconciliation';

/** Hands every change of a target's replicas to whoever listens. */
export class ReplicaChangeFeed implements ReplicaChangesPort {
  readonly #listeners = new Set<ReplicaChangeListener>();

  subscribe(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(change: ReplicaChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
