import type { ReactElement } from 'react';
import { useNow } from '../../api/clock.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { durationText } from './duration.ts';
import { formatTime } from './format-time.ts';

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
    <time dateTime={time} title={`${formatTime(time, zone, 'exact')} · ${formatTime(time, other, 'exact')}`}>
      {form === 'ago' ? <Ago time={time} /> : formatTime(time, zone, form)}
    </time>
  );
}

function Ago({ time }: { readonly time: string }): string {
  const { server } = useNow();
  const milliseconds = server - Date.parse(time);
  // The server's clock is known to the second and a half: what has just happened is not to come.
  if (Math.abs(milliseconds) < 2_000) return `${durationText(milliseconds)} ago`;
  return milliseconds < 0 ? `in ${durationText(-milliseconds)}` : `${durationText(milliseconds)} ago`;
}
