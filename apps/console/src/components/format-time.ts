import type { TimeZoneChoice } from '../state/preferences.ts';

/** `2026-11-22 03:12:07 UTC`, or in the browser's zone with its offset; `time`: without the day. */
export function formatTime(time: string, zone: TimeZoneChoice, form: 'full' | 'time' = 'full'): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return time;
  const shifted = zone === 'utc' ? moment : new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  const [day = '', clock = ''] = shifted.toISOString().split('T');
  const seconds = clock.slice(0, 8);
  if (form === 'time') return seconds;
  return `${day} ${seconds} ${zone === 'utc' ? 'UTC' : offsetText(moment.getTimezoneOffset())}`;
}

/** `+01:00`, of the minutes that `Date` counts westward. */
function offsetText(minutesWest: number): string {
  const minutes = Math.abs(minutesWest);
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${minutesWest > 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}
