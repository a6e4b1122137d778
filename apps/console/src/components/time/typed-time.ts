import type { TimeZoneChoice } from '../../state/preferences.ts';
import { inZone } from './format-time.ts';

/** A time without a zone is taken as UTC; what has one, or is no time at all, is for the server to judge. */
export function zonedTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? `${text}Z` : text;
}

/** `2026-11-22 03:30`, with seconds where it has some: a time as it is typed, in the zone; empty: it is no time. */
export function typedTime(text: string, zone: TimeZoneChoice): string {
  const moment = new Date(zonedTime(text));
  if (Number.isNaN(moment.getTime())) return '';
  return inZone(moment, zone).toISOString().slice(0, 19).replace('T', ' ').replace(/:00$/, '');
}

/**
 * What was typed, in UTC with its zone, so that a link means the same to everybody: a day, or a day and a time to the
 * minute or second. Undefined: it is no time.
 */
export function readTypedTime(text: string, zone: TimeZoneChoice): string | undefined {
  const [, day = '', clock = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T]+(\d\d:\d\d(?::\d\d)?))?$/.exec(text.trim()) ?? [];
  const moment = new Date(`${day}T${clock}${zone === 'utc' ? 'Z' : ''}`);
  // A browser takes the thirtieth of February for a day of March.
  if (Number.isNaN(moment.getTime()) || !typedTime(moment.toISOString(), zone).startsWith(day))
    return undefined;
  return moment.toISOString().replace('.000Z', 'Z');
}
