import type { ReportRow } from './report-row.ts';

/** Keeps the newest of many rows, in bounded memory. */
export class NewestRows {
  readonly #limit: number;
  #rows: ReportRow[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  add(row: ReportRow): void {
    this.#count += 1;
    this.#rows.push(row);
    if (this.#rows.length >= 2 * this.#limit) this.#rows = this.#newest();
  }

  /** The newest first. */
  list(): readonly ReportRow[] {
    return this.#newest();
  }

  #newest(): ReportRow[] {
    const byTime = this.#rows.toSorted((left, right) => Date.parse(right.time) - Date.parse(left.time));
    return byTime.slice(0, this.#limit);
  }
}
