interface UnderWay<T> {
  readonly running: Promise<T>;
  next: Promise<T> | undefined;
}

/**
 * Answers that take long and are the same for whoever asks under one key: at most one per key is made at a time. Who asks
 * meanwhile is answered by the next, with all others who do, and so with nothing from before the question.
 */
export class SharedAnswers<T> {
  readonly #underWay = new Map<string, UnderWay<T>>();

  of(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(key);
    if (known === undefined) return this.#begin(key, make);
    const begin = (): Promise<T> => this.#begin(key, make);
    known.next ??= known.running.then(begin, begin);
    return known.next;
  }

  #begin(key: string, make: () => Promise<T>): Promise<T> {
    const running = make();
    const underWay: UnderWay<T> = { running, next: undefined };
    this.#underWay.set(key, underWay);
    const end = (): void => {
      if (underWay.next === undefined) this.#underWay.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
