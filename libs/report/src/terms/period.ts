import { err, ok, parseInstant, type Result } from '#kernel';

/** The time that a report is about. */
export interface Period {
  /** Milliseconds since 1970, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  /** An IANA name. */
  readonly timeZone: string;
}

/** Ten years: the days of a chart stay few. */
export const maximumPeriodDays = 3_660;

const dayMilliseconds = 86_400_000;
const dateForm = /^\d{4}-\d\d-\d\d$/;

/** What a period is asked for with: RFC 3339 times, to the millisecond, or dates, which are midnights of the time zone. */
export interface PeriodRequest {
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
}

/** What each part of a request is called where it was asked. */
export type PeriodNames = Readonly<Record<keyof PeriodRequest, string>>;

const apiNames: PeriodNames = { from: 'from', until: 'until', timeZone: 'timeZone' };

/** Reads a period; the error is a sentence with the value in it, and with the name that it has there. */
export function parsePeriod(
  { from, until, timeZone: given }: PeriodRequest,
  names: PeriodNames = apiNames,
): Result<Period, string> {
  const timeZone = timeZoneOf(given);
  if (timeZone === null)
    return err(`${names.timeZone} is ${JSON.stringify(given)}; it wants an IANA name, such as Europe/Berlin`);
  const start = momentOf(from, timeZone);
  const end = momentOf(until, timeZone);
  const [name, strange] = start === null ? [names.from, from] : [names.until, until];
  if (start === null || end === null) {
    const form = 'a date (2027-03-01) or RFC 3339 with its zone';
    return err(`${name} is ${JSON.stringify(strange)}; it wants ${form}`);
  }
  if (end <= start) return err(`the period ends at ${until}, which is not after its beginning, ${from}`);
  if (end - start > maximumPeriodDays * dayMilliseconds)
    return err(`the period from ${from} to ${until} has more than ${maximumPeriodDays} days`);
  return ok({ from: start, until: end, timeZone });
}

/** Milliseconds since 1970; null for what is no time. */
export function timeMilliseconds(time: string): number | null {
  const instant = parseInstant(time);
  return instant === undefined ? null : instant.seconds * 1_000 + Math.floor(instant.nanos / 1_000_000);
}

/** A moment in the time zone, with its offset: `2027-03-28T03:00:00+02:00`, within a second `…:00.250+02:00`. */
export function localText(milliseconds: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(milliseconds)
    .toZonedDateTimeISO(timeZone)
    .toString({ timeZoneName: 'never', fractionalSecondDigits: milliseconds % 1_000 === 0 ? 0 : 3 });
}

/** A stretch of a period that a chart has one bar for. */
export interface Bucket {
  readonly from: number;
  readonly until: number;
  /** A date, or a month. */
  readonly label: string;
}

/** Beyond this many days a chart has bars of months. */
const maximumDayBars = 92;

/** The days or months of a period, by the calendar of its time zone: a day may have 23 or 25 hours. */
export function bucketsOf({ from, until, timeZone }: Period): readonly Bucket[] {
  const isMonthly = until - from > maximumDayBars * dayMilliseconds;
  const unit = isMonthly ? { months: 1 } : { days: 1 };
  const buckets: Bucket[] = [];
  const first = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone).toPlainDate();
  let date = isMonthly ? first.with({ day: 1 }) : first;
  let start = from;
  while (start < until) {
    const label = date.toString().slice(0, isMonthly ? 7 : 10);
    date = date.add(unit);
    const next = date.toZonedDateTime(timeZone).epochMilliseconds;
    // A date that a zone left out, as Samoa did in 2011, has no time.
    if (next <= start) continue;
    const end = Math.min(next, until);
    buckets.push({ from: start, until: end, label });
    start = end;
  }
  return buckets;
}

function momentOf(text: string, timeZone: string): number | null {
  if (!dateForm.test(text)) return timeMilliseconds(text);
  try {
    return Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds;
  } catch {
    return null;
  }
}

/** The name as it is usually written, of `europe/berlin` `Europe/Berlin`; null: none, such as an offset, which has no summer. */
function timeZoneOf(name: string): string | null {
  if (/^[+-]/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // What is a link to another one keeps the name that it was asked for by.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return null;
  }
}
