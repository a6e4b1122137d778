import type { KubeObject } from '../objects/kube-object.ts';

/** One change of one object. `previous` lets a watch with a selector distinguish entering from leaving. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `group/plural`, such as `apps/deployments`; the core group is empty: `/pods`. */
  readonly resource: string;
  readonly object: KubeObject;
  readonly previous?: KubeObject | undefined;
  readonly revision: number;
}

/** The latest changes of one resource, oldest first, at most `limit` of them (twice as many for a moment). */
export class WatchHistory {
  #events: StoreEvent[] = [];
  #forgottenUpTo = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(event: StoreEvent): void {
    this.#events.push(event);
    // Dropping half at a time keeps a push at constant cost.
    if (this.#events.length > 2 * this.#limit) this.#forget(this.#events.length - this.#limit);
  }

  /** Forgets everything up to a revision: a watch that continues from before it gets 410 Gone. */
  expire(revision: number): void {
    this.#events = [];
    this.#forgottenUpTo = revision;
  }

  /** The changes after a revision, or undefined when some of them are forgotten. */
  since(revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#forgottenUpTo) return undefined;
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#events.slice(low);
  }

  get forgottenUpTo(): number {
    return this.#forgottenUpTo;
  }

  #forget(count: number): void {
    this.#forgottenUpTo = this.#events[count - 1]?.revision ?? this.#forgottenUpTo;
    this.#events = this.#events.slice(count);
  }
}
