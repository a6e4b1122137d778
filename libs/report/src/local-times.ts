import { localText } from './period.ts';

const hourMilliseconds = 3_600_000;
const minuteMilliseconds = 60_000;

/** A period has at most ten years of them. */
const maximumHours = 100_000;

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Years of four digits, with room for an offset. */
const first = Date.parse('0001-01-01T00:00:00Z') + 24 * hourMilliseconds;
const last = Date.parse('9999-12-31T00:00:00Z') - 24 * hourMilliseconds;

interface Offset {
  readonly milliseconds: number;
  /** `+02:00` */
  readonly text: string;
}

/** Writes many moments in one time zone, each as `localText` does: what the moments of an hour have in common is made once. */
export class LocalTimes {
  readonly #timeZone: string;
  /** By hours since 1970; `null`: the offset changes within the hour, or is no whole number of minutes. */
  readonly #offsets = new Map<number, Offset | null>();
  /** By local hours since 1970. */
  readonly #hours = new Map<number, string>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  text(milliseconds: number): string {
    const offset = milliseconds > first && milliseconds < last ? this.#offsetAt(milliseconds) : null;
    if (offset === null) return localText(milliseconds, this.#timeZone);
    const local = milliseconds + offset.milliseconds;
    const hour = Math.floor(local / hourMilliseconds);
    const seconds = Math.floor((local - hour * hourMilliseconds) / 1_000);
    return `${this.#hourText(hour)}${twoDigits[Math.floor(seconds / 60)]}:${twoDigits[seconds % 60]}${offset.text}`;
  }

  /** `2027-03-28T03:` */
  #hourText(hour: number): string {
    const known = this.#hours.get(hour);
    if (known !== undefined) return known;
    if (this.#hours.size >= maximumHours) this.#hours.clear();
    const text = new Date(hour * hourMilliseconds).toISOString().slice(0, '2027-03-28T03:'.length);
    this.#hours.set(hour, text);
    return text;
  }

  #offsetAt(milliseconds: number): Offset | null {
    const hour = Math.floor(milliseconds / hourMilliseconds);
    const known = this.#offsets.get(hour);
    if (known !== undefined) return known;
    if (this.#offsets.size >= maximumHours) this.#offsets.clear();
    const offset = this.#commonOffset(hour * hourMilliseconds, (hour + 1) * hourMilliseconds - 1);
    this.#offsets.set(hour, offset);
    return offset;
  }

  #commonOffset(from: number, to: number): Offset | null {
    const [begin, end] = [this.#offset(from), this.#offset(to)];
    return begin === end && begin % minuteMilliseconds === 0
      ? { milliseconds: begin, text: localText(from, this.#timeZone).slice('2027-03-28T03:00:00'.length) }
      : null;
  }

  #offset(milliseconds: number): number {
    const zoned = Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(this.#timeZone);
    return zoned.offsetNanoseconds / 1e6;
  }
}
