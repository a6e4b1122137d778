import { UnusableError } from '../unusable-error.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** RFC 3339 with its zone; without one a time would be that of wherever the server stands. */
const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** A time, or the one that is a duration such as `90m`, `4h` or `30d` from now, RFC 3339. @throws UnusableError */
export function timeAfter(option: string, text: string): string {
  return (
    timeOf(text, 1) ??
    refuse(`${option} is ${JSON.stringify(text)}; it wants RFC 3339 with its zone, or how long: 90m, 4h`)
  );
}

/** A time, or the one that is a duration such as `90m`, `12h` or `7d` ago, RFC 3339. @throws UnusableError */
export function timeBefore(option: string, text: string): string {
  return (
    timeOf(text, -1) ??
    refuse(`${option} is ${JSON.stringify(text)}; it wants RFC 3339 with its zone, or how long ago: 90m, 7d`)
  );
}

function timeOf(text: string, sign: 1 | -1): string | undefined {
  if (timeForm.test(text) && !Number.isNaN(Date.parse(text))) return text;
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (unitSeconds[unit] ?? 0) * 1_000;
  return milliseconds > 0 ? new Date(Date.now() + sign * milliseconds).toISOString() : undefined;
}

function refuse(message: string): never {
  throw new UnusableError(message);
}
