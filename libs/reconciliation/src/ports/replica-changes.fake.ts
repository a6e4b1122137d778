import type { ScaleTarget } from '../policies/scale-target.ts';
import type { ReplicaChange, ReplicaChangeListener, ReplicaChangesPort } from './replica-changes.port.ts';

/** A watch that a test drives. */
export class FakeReplicaChanges implements ReplicaChangesPort {
  readonly #listeners = new Set<ReplicaChangeListener>();
  readonly #selectorListeners = new Set<(target: ScaleTarget) => void>();

  /** Whether the watch keeps back what changes until {@link catchUp}. */
  #isLagging = false;
  #late: ReplicaChange[] = [];
  #waiting: (() => void)[] = [];

  /** Keeps changes back from now on. */
  lag(): void {
    this.#isLagging = true;
  }

  /** Reports what was kept back, and ends the lag. */
  catchUp(): void {
    this.#isLagging = false;
    for (const change of this.#late.splice(0)) this.report(change);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  reached(): 'Reached' | Promise<void> {
    return this.#isLagging ? new Promise((resolve) => this.#waiting.push(resolve)) : 'Reached';
  }

  /** Reports a change to every listener. */
  report(change: ReplicaChange): void {
    if (this.#isLagging) {
      this.#late.push(change);
      return;
    }
    for (const listener of this.#listeners) listener(change);
  }

  /** Reports a change of a selector to every listener. */
  reportSelector(target: ScaleTarget): void {
    for (const listener of this.#selectorListeners) listener(target);
  }

  subscribeToSelectors(listener: (target: ScaleTarget) => void): () => void {
    this.#selectorListeners.add(listener);
    return () => this.#selectorListeners.delete(listener);
  }

  subscribe(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
