/** A call that falls due at a time. */
export interface Timer {
  readonly dueMilliseconds: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** Timers by due time, equal times in the order they were made. A binary heap: 100,000 pods start at once. */
export class TimerHeap {
  readonly #heap: Timer[] = [];
  #order = 0;

  push(dueMilliseconds: number, callback: () => void): Timer {
    const timer: Timer = { dueMilliseconds, order: this.#order++, callback, cancelled: false };
    this.#heap.push(timer);
    this.#siftUp(this.#heap.length - 1);
    return timer;
  }

  /** When the next timer is due; cancelled ones are dropped on the way. */
  nextDueMilliseconds(): number | undefined {
    while (this.#heap[0]?.cancelled === true) this.#pop();
    return this.#heap[0]?.dueMilliseconds;
  }

  /** Takes the next timer that is due at `nowMilliseconds` or before. */
  popDue(nowMilliseconds: number): Timer | undefined {
    const due = this.nextDueMilliseconds();
    return due === undefined || due > nowMilliseconds ? undefined : this.#pop();
  }

  #pop(): Timer | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#siftDown(0);
    }
    return top;
  }

  #siftUp(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #siftDown(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let first = index;
      if (left < this.#heap.length && this.#isBefore(left, first)) first = left;
      if (right < this.#heap.length && this.#isBefore(right, first)) first = right;
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(left: number, right: number): boolean {
    const a = this.#heap[left];
    const b = this.#heap[right];
    if (a === undefined || b === undefined) return false;
    return a.dueMilliseconds === b.dueMilliseconds
      ? a.order < b.order
      : a.dueMilliseconds < b.dueMilliseconds;
  }

  #swap(left: number, right: number): void {
    const a = this.#heap[left];
    const b = this.#heap[right];
    if (a === undefined || b === undefined) return;
    this.#heap[left] = b;
    this.#heap[right] = a;
  }
}
