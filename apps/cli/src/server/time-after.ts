import { compareInstants, parseInstant } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** How long, as options say it: `90m`. */
export interface Duration {
  readonly count: number;
  /** `s`, `m`, `h` or `d` */
  readonly unit: string;
  readonly unitSeconds: number;
}

const secondsOfUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** RFC 3339 with its zone; without one a time would be that of wherever the server stands. */
const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const durationForm = /^(\d{1,6})([smhd])$/;

/** A midnight of a time zone that is given beside it. */
const dateForm = /^\d{4}-\d{2}-\d{2}$/;

/** A time, or the one that is a duration such as `90m`, `4h` or `30d` from now, RFC 3339. @throws UnusableError */
export function timeAfter(option: string, text: string): string {
  return (
    timeOf(text, Date.now(), 1) ??
    refuse(`${option} is ${JSON.stringify(text)}; it wants RFC 3339 with its zone, or how long: 90m, 4h`)
  );
}

/** A time, or the one that is a duration such as `90m`, `12h` or `7d` ago, RFC 3339. @throws UnusableError */
export function timeBefore(option: string, text: string, now = Date.now()): string {
  return (
    timeOf(text, now, -1) ??
    refuse(`${option} is ${JSON.stringify(text)}; it wants RFC 3339 with its zone, or how long ago: 90m, 7d`)
  );
}

/** Undefined: it is none. A time that is told by one is another with every question. */
export function durationOf(text: string): Duration | undefined {
  const [, count = '', unit = ''] = durationForm.exec(text) ?? [];
  const unitSeconds = secondsOfUnits[unit];
  return unitSeconds === undefined ? undefined : { count: Number(count), unit, unitSeconds };
}

/** What `--from` and `--until` say. */
interface GivenPeriod {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** The times of `--from` and `--until`, both as of one moment. @throws UnusableError also where nothing is between them */
export function periodBefore({ from, until }: GivenPeriod): GivenPeriod {
  const now = Date.now();
  const start = from === undefined ? undefined : timeBefore('--from', from, now);
  const end = until === undefined ? undefined : timeBefore('--until', until, now);
  if (start !== undefined && end !== undefined && !isBefore(start, end))
    throw new UnusableError(`--from ${from} is not before --until ${until}: the period is empty`);
  return { from: start, until: end };
}

/** As {@link timeBefore}; a date stays one, for whoever knows its time zone. @throws UnusableError */
export function dateOrTimeBefore(option: string, text: string, now: number): string {
  if (dateForm.test(text)) return text;
  return (
    timeOf(text, now, -1) ??
    refuse(
      `${option} is ${JSON.stringify(text)}; it wants a date (2027-03-01), RFC 3339 with its zone, or how long ago: 90m, 7d`,
    )
  );
}

function timeOf(text: string, now: number, sign: 1 | -1): string | undefined {
  if (timeForm.test(text) && !Number.isNaN(Date.parse(text))) return text;
  const { count, unitSeconds } = durationOf(text) ?? { count: 0, unitSeconds: 0 };
  const milliseconds = count * unitSeconds * 1_000;
  return milliseconds > 0 ? new Date(now + sign * milliseconds).toISOString() : undefined;
}

function isBefore(one: string, other: string): boolean {
  const [first, second] = [one, other].map((time) => parseInstant(time.toUpperCase()));
  return first !== undefined && second !== undefined && compareInstants(first, second) < 0;
}

function refuse(message: string): never {
  throw new UnusableError(message);
}
