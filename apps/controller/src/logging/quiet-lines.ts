/** At most one line per minute of a kind, so that whoever causes them cannot fill the disk. */
const quietMilliseconds = 60_000;

/** Kinds that are remembered; beyond them the one that was told longest ago may be told again. */
const maximumRemembered = 1_000;

interface Told {
  readonly time: number;
  readonly silent: number;
}

/** Which of many like lines are logged, and how many were not. */
export class QuietLines {
  readonly #now: () => number;
  readonly #told = new Map<string, Told>();

  /** @param now monotonic, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many like it were not told since the last that was; null: this one is not told either. */
  tell(kind: string): number | null {
    const now = this.#now();
    const told = this.#told.get(kind);
    if (told !== undefined && now - told.time < quietMilliseconds) {
      this.#told.set(kind, { ...told, silent: told.silent + 1 });
      return null;
    }
    this.#told.delete(kind);
    this.#told.set(kind, { time: now, silent: 0 });
    const [oldest] = this.#told.keys();
    if (this.#told.size > maximumRemembered && oldest !== undefined) this.#told.delete(oldest);
    return told?.silent ?? 0;
  }
}
