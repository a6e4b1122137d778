import { localText } from '../terms/period.ts';

const dayMilliseconds = 86_400_000;
const minuteMilliseconds = 60_000;

/** A period has at most ten years of them. */
const maximumDays = 4_000;
/** Zones change their offset a few times a year. */
const maximumSpans = 100;

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Years of four digits, with room for an offset. */
const first = Date.parse('0001-01-01T00:00:00Z') + dayMilliseconds;
const last = Date.parse('9999-12-31T00:00:00Z') - dayMilliseconds;

/** Moments of one offset. */
interface OffsetSpan {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  readonly milliseconds: number;
  /** `+02:00`; null: it is no whole number of minutes. */
  readonly text: string | null;
}

const noSpan: OffsetSpan = { from: 0, until: 0, milliseconds: 0, text: null };

/** Writes many moments in one time zone, each as `localText` does: what the moments of an offset or a day have in common is made once. */
export class LocalTimes {
  readonly #timeZone: string;
  #spans: OffsetSpan[] = [];
  #latest = noSpan;
  /** By local days since 1970. */
  readonly #days = new Map<number, string>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  text(milliseconds: number): string {
    const offset = milliseconds > first && milliseconds < last ? this.#spanAt(milliseconds) : noSpan;
    if (offset.text === null) return localText(milliseconds, this.#timeZone);
    const local = milliseconds + offset.milliseconds;
    const day = Math.floor(local / dayMilliseconds);
    const seconds = Math.floor((local - day * dayMilliseconds) / 1_000);
    const minutes = Math.floor(seconds / 60);
    const rest = local - day * dayMilliseconds - seconds * 1_000;
    const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`;
    return `${this.#dayText(day)}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}${fraction}${offset.text}`;
  }

  /** `2027-03-28T` */
  #dayText(day: number): string {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    if (this.#days.size >= maximumDays) this.#days.clear();
    const text = new Date(day * dayMilliseconds).toISOString().slice(0, '2027-03-28T'.length);
    this.#days.set(day, text);
    return text;
  }

  #spanAt(milliseconds: number): OffsetSpan {
    if (holds(this.#latest, milliseconds)) return this.#latest;
    this.#latest = this.#spans.find((span) => holds(span, milliseconds)) ?? this.#addSpan(milliseconds);
    return this.#latest;
  }

  #addSpan(milliseconds: number): OffsetSpan {
    if (this.#spans.length >= maximumSpans) this.#spans = [];
    const zoned = this.#zoned(milliseconds);
    const offset = zoned.offsetNanoseconds / 1e6;
    const span = {
      // What is looked for lies before the moment that it is asked of.
      from: this.#zoned(milliseconds + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
      until: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
      milliseconds: offset,
      text: offset % minuteMilliseconds === 0 ? zoned.offset : null,
    };
    this.#spans.push(span);
    return span;
  }

  #zoned(milliseconds: number): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(this.#timeZone);
  }
}

function holds({ from, until }: OffsetSpan, milliseconds: number): boolean {
  return milliseconds >= from && milliseconds < until;
}
