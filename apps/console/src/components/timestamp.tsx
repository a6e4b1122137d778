import type { ReactElement } from 'react';
import { useNow } from '../api/clock.ts';
import { timeZone, type TimeZoneChoice } from '../app/preferences.ts';
import { useStore } from '../app/store.ts';
import { durationText } from './duration.ts';

/** How a moment is written. `ago` counts by the server's clock. */
export interface TimestampProps {
  /** RFC 3339. */
  readonly time: string;
  readonly form?: 'full' | 'time' | 'ago';
}

/** A moment, in UTC or in the browser's zone, as is chosen in the header; the other one is in its title. */
export function Timestamp({ time, form = 'full' }: TimestampProps): ReactElement {
  const zone = useStore(timeZone);
  const other = zone === 'utc' ? 'local' : 'utc';
  return (
    <time dateTime={time} title={`${formatTime(time, zone)} · ${formatTime(time, other)}`}>
      {form === 'ago' ? <Ago time={time} /> : formatTime(time, zone, form)}
    </time>
  );
}

function Ago({ time }: { readonly time: string }): string {
  const { server } = useNow();
  const milliseconds = server - Date.parse(time);
  return milliseconds < 0 ? `in ${durationText(-milliseconds)}` : `${durationText(milliseconds)} ago`;
}

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
