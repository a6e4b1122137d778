import { UnusableError } from '../unusable-error.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The time that is a duration such as `90m`, `4h` or `30d` from now, RFC 3339. @throws UnusableError */
export function timeAfter(option: string, duration: string): string {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(duration) ?? [];
  const milliseconds = Number(count) * (unitSeconds[unit] ?? 0) * 1_000;
  if (milliseconds > 0) return new Date(Date.now() + milliseconds).toISOString();
  throw new UnusableError(`${option} is ${JSON.stringify(duration)}; it wants a time such as 90m or 4h`);
}
