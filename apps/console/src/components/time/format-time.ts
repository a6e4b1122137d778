import { serverNow } from '../../api/server-time.ts';
import type { TimeZoneChoice } from '../../state/preferences.ts';

/**
 * full: `Sun 22 Nov 03:12:07 UTC`, with the year where it is not the present one; exact: `2026-11-22 03:12:07 UTC`;
 * day: `22 Nov 03:12`; time: `03:12:07`.
 */
export type TimeForm = 'full' | 'exact' | 'day' | 'time';

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** A moment in UTC, or in the browser's zone with its offset; what is no moment stays as it is. */
export function formatTime(time: string, zone: TimeZoneChoice, form: TimeForm = 'full'): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return time;
  if (form === 'full') return fullTime(moment, zone, new Date(serverNow()));
  const shifted = inZone(moment, zone);
  if (form === 'time') return clockOf(shifted);
  if (form === 'day') return `${dateOf(shifted)} ${clockOf(shifted).slice(0, 5)}`;
  return `${shifted.toISOString().slice(0, 10)} ${clockOf(shifted)} ${offsetText(moment, zone)}`;
}

/** As of `now`, whose year is not written. */
export function fullTime(moment: Date, zone: TimeZoneChoice, now: Date): string {
  const shifted = inZone(moment, zone);
  const year = shifted.getUTCFullYear();
  const isThisYear = inZone(now, zone).getUTCFullYear() === year;
  const day = `${weekdays[shifted.getUTCDay()] ?? ''} ${dateOf(shifted)}${isThisYear ? '' : ` ${year}`}`;
  return `${day} ${clockOf(shifted)} ${offsetText(moment, zone)}`;
}

/** Whose fields in UTC are those of the moment in the zone. */
export function inZone(moment: Date, zone: TimeZoneChoice): Date {
  return zone === 'utc' ? moment : new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
}

/** `22 Nov` */
function dateOf(shifted: Date): string {
  return `${shifted.getUTCDate()} ${months[shifted.getUTCMonth()] ?? ''}`;
}

/** `03:12:07` */
function clockOf(shifted: Date): string {
  return shifted.toISOString().split('T')[1]?.slice(0, 8) ?? '';
}

/** `UTC`, or `+01:00`. */
function offsetText(moment: Date, zone: TimeZoneChoice): string {
  if (zone === 'utc') return 'UTC';
  const minutesWest = moment.getTimezoneOffset();
  const minutes = Math.abs(minutesWest);
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${minutesWest > 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}
