/**
 * A moment, exact to the nanosecond: whole seconds since 1970-01-01T00:00:00Z and 0 to 999,999,999 nanoseconds.
 * Compare instants with {@link compareInstants}, never by their text.
 */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

const grammar = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,1000}))?(?:Z|([+-])(\d\d):(\d\d))$/;
/** 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z: what four digits of a year can print. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

/**
 * Reads an RFC 3339 time with any offset, `T` and `Z` in capitals as Go reads them; undefined where it does not
 * parse, names no day of the calendar, has a leap second or falls outside the years 0000 to 9999 in UTC.
 * Digits beyond the nanosecond are cut off; a fraction has at most 1,000.
 */
export function parseInstant(text: string): Instant | undefined {
  const place = placeOf(text);
  if (text === latestTexts[place]) return latestInstants[place];
  const instant = parsePlain(text) ?? parseAny(text);
  latestTexts[place] = text;
  latestInstants[place] = instant;
  return instant;
}

/** The samples of one list, and what one decision compares, have a few times again and again. */
const places = 16;
const latestTexts: string[] = Array.from({ length: places }, () => '');
const latestInstants: (Instant | undefined)[] = Array.from({ length: places }, () => undefined);

/** By the last digits: those before the `Z` of the usual forms, and the seconds or their tenths. */
function placeOf(text: string): number {
  const { length } = text;
  const mixed =
    text.charCodeAt(length - 2) + 3 * text.charCodeAt(length - 3) + 5 * text.charCodeAt(length - 4);
  return ((mixed + 7 * text.charCodeAt(length - 6)) % places) | 0;
}

function parseAny(text: string): Instant | undefined {
  const match = grammar.exec(text);
  if (match === null) return undefined;
  const local = parsePlain(`${match[1] ?? ''}T${match[2] ?? ''}Z`);
  const offset = offsetSeconds(match[4], match[5], match[6]);
  if (local === undefined || offset === undefined) return undefined;
  const seconds = local.seconds - offset;
  if (seconds < firstSecond || seconds > lastSecond) return undefined;
  return { seconds, nanos: Number((match[3] ?? '').slice(0, 9).padEnd(9, '0')) };
}

/** Below 0 where `a` is earlier than `b`, 0 where both are the same moment, above 0 where it is later. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}

/** The moment that many whole seconds later (earlier, where negative). */
export function addSeconds({ seconds, nanos }: Instant, added: number): Instant {
  return { seconds: seconds + added, nanos };
}

/** Whole seconds from `a` to `b`, rounded toward minus infinity: 0.9 s is 0, −0.1 s is −1. */
export function wholeSecondsBetween(a: Instant, b: Instant): number {
  return b.seconds - a.seconds - (b.nanos < a.nanos ? 1 : 0);
}

/**
 * The RFC 3339 text of an instant in UTC, with as many fraction digits as the `text` it was read from has:
 * `2026-11-20T13:00:00.50+01:00` is `2026-11-20T12:00:00.50Z`.
 */
export function toUtcText(instant: Instant, text: string): string {
  if (text.endsWith('Z')) return text;
  const fraction = /\.\d+/.exec(text)?.[0] ?? '';
  return `${new Date(instant.seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** The RFC 3339 text of an instant in UTC, cut off at the millisecond. */
export function toMillisecondText({ seconds, nanos }: Instant): string {
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
}

/** `yyyy-mm-ddThh:mm:ssZ`, with or without milliseconds: the forms that nearly every time has, read without a regular expression. */
function parsePlain(text: string): Instant | undefined {
  const length = text.length;
  if ((length !== 20 && length !== 24) || text.charCodeAt(length - 1) !== 90 || !hasSeparators(text))
    return undefined;
  const days = daysOf(digits2(text, 0) * 100 + digits2(text, 2), digits2(text, 5), digits2(text, 8));
  const hour = digits2(text, 11);
  const minute = digits2(text, 14);
  const second = digits2(text, 17);
  const millis = length === 24 ? millisecondsOf(text) : 0;
  if (days === noDay || !isTimeOfDay(hour, minute, second) || millis > 999) return undefined;
  return { seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanos: millis * 1_000_000 };
}

function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 59;
}

function hasSeparators(text: string): boolean {
  return (
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58
  );
}

function millisecondsOf(text: string): number {
  const last = text.charCodeAt(22) - 48;
  return text.charCodeAt(19) === 46 && last >= 0 && last <= 9 ? digits2(text, 20) * 10 + last : noDigits;
}

/** More than any number of two digits; with others it only grows, so that every check of a range refuses it. */
const noDigits = 1_000_000;

/** The number at two places of a text, or {@link noDigits}. */
function digits2(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : noDigits;
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The date that was read last: times of one list nearly all share theirs. */
let lastDate = -1;
let lastDays = 0;

/** 9999-12-31; what is more has something else than digits. */
const lastPlainDate = 99_991_231;

/** {@link daysSinceEpoch}, remembered for the last date. */
function daysOf(year: number, month: number, day: number): number {
  const date = (year * 100 + month) * 100 + day;
  if (date > lastPlainDate) return noDay;
  if (date !== lastDate) {
    lastDays = daysSinceEpoch(year, month, day);
    lastDate = date;
  }
  return lastDays;
}

/** In the place of days: no date of the calendar. */
const noDay = Number.MIN_SAFE_INTEGER;

/** Days from 1970-01-01 in the Gregorian calendar, or {@link noDay}. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lastDay = month === 2 && isLeapYear ? 29 : (daysInMonth[month - 1] ?? 0);
  if (day < 1 || day > lastDay) return noDay;
  // Years are counted from March, so that the leap day is the last.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function offsetSeconds(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (hours === undefined || minutes === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return sign === '-' ? -seconds : seconds;
}
