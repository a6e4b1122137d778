import type { ReplicaChange, ReplicaChangeListener, ReplicaChangesPort } from './replica-changes.port.ts';

/** A watch that reports what a test tells it. */
export class FakeReplicaChanges implements ReplicaChangesPort {
  readonly #listeners = new Set<ReplicaChangeListener>();

  /** Reports a change to every listener. */
  report(change: ReplicaChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  subscribe(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
