/** Events that wait for one subscriber. */
const maximumEvents = 1_000;

/** Characters of the entries that they are made from; one more is always taken. */
const maximumCharacters = 16 * 1024 * 1024;

export interface EventQueueOptions {
  /** There was no room for an event. The queue has ended. */
  readonly onOverflow: () => void;
  /** The queue has ended, however that came. Called once. */
  readonly onEnd: () => void;
}

interface Waiting<T> {
  readonly event: T;
  readonly characters: number;
}

/** What waits for one subscriber, in bounded memory. */
export class EventQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #options: EventQueueOptions;
  readonly #events: Waiting<T>[] = [];
  #characters = 0;
  #reader: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #hasEnded = false;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  push(event: T, characters = 0): void {
    if (this.#hasEnded) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      reader({ value: event, done: false });
    } else if (this.#events.length < maximumEvents && this.#characters < maximumCharacters) {
      this.#events.push({ event, characters });
      this.#characters += characters;
    } else {
      this.end();
      this.#options.onOverflow();
    }
  }

  /** Nothing more is read of it. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.length = 0;
    this.#reader?.({ value: undefined, done: true });
    this.#options.onEnd();
  }

  /** One reader at a time. */
  next(): Promise<IteratorResult<T, undefined>> {
    const first = this.#events.shift();
    if (first !== undefined) {
      this.#characters -= first.characters;
      return Promise.resolve({ value: first.event, done: false });
    }
    if (this.#hasEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
