import type { TimeZoneChoice } from '../../state/preferences.ts';
import { formatTime } from '../time/format-time.ts';

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/** `until 2026-11-22T03:12:07.268Z` is `until Sun 22 Nov 03:12:07 UTC`, or as long in the browser's zone. */
export function plainTimes(text: string, zone: TimeZoneChoice): string {
  return text.replaceAll(instants, (time) => formatTime(time, zone));
}
