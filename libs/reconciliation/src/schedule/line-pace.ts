/** So many namespaces a line of passes may be before another that comes further. */
const maximumLead = 1;

/** Where a line is. */
interface Place {
  at: number;
  /** It waits for room, or has ended: nothing waits for it. */
  isLetGo: boolean;
}

/**
 * Keeps lines of passes together, each of which goes through the namespaces in one order: what is read of a namespace is
 * used by all lines and let go, before that of the last is read. A line that has no room is not waited for.
 */
export class LinePace {
  readonly #places: readonly Place[];
  #moved = Promise.withResolvers<undefined>();

  constructor(lines: number) {
    this.#places = Array.from({ length: lines }, () => ({ at: -1, isLetGo: false }));
  }

  /** Resolves when the line may begin with its next namespace, which has this place in the order. */
  async reach(line: number, at: number): Promise<void> {
    this.#move(line, { at, isLetGo: false });
    while (this.#places.some((place) => !place.isLetGo && place.at < at - maximumLead))
      await this.#moved.promise;
  }

  /** While the line waits for room, and when it has ended. */
  letGo(line: number): void {
    this.#move(line, { isLetGo: true });
  }

  /** The line has room. */
  rejoin(line: number): void {
    this.#move(line, { isLetGo: false });
  }

  #move(line: number, to: Partial<Place>): void {
    const place = this.#places[line];
    if (place === undefined) return;
    Object.assign(place, to);
    this.#moved.resolve(undefined);
    this.#moved = Promise.withResolvers<undefined>();
  }
}
