/** People that are remembered; beyond them the one who was counted the longest ago is forgotten. */
const maximumOwners = 1_000;

const hourMilliseconds = 3_600_000;

/** Bounds what each person does within an hour, where each time stays in the ledger for ever. */
export class HourlyLimit {
  readonly #maximum: number;
  readonly #counted = new Map<string, { readonly since: number; readonly count: number }>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Counts one more at `now`, in milliseconds; false: there were as many as may be, and it counts nothing. */
  take(owner: string, now: number): boolean {
    const before = this.#counted.get(owner);
    const isCurrent = before !== undefined && now >= before.since && now - before.since < hourMilliseconds;
    const { since, count } = isCurrent ? before : { since: now, count: 0 };
    if (count >= this.#maximum) return false;
    this.#counted.delete(owner);
    this.#counted.set(owner, { since, count: count + 1 });
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > maximumOwners && oldest !== undefined) this.#counted.delete(oldest);
    return true;
  }
}
