import type { TimeZoneChoice } from '../../state/preferences.ts';

/** A time without a zone is taken as UTC; what has one, or is no time at all, is for the server to judge. */
export function zonedTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? `${text}Z` : text;
}

/** A time of the address as a field of a browser takes it, which knows no zone; empty: it is no time. */
export function fieldTime(text: string, zone: TimeZoneChoice): string {
  const moment = new Date(zonedTime(text));
  if (Number.isNaN(moment.getTime())) return '';
  const shifted = zone === 'utc' ? moment : new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** What a field says, as the address has it: in UTC, with its zone, so that a link means the same to everybody. */
export function addressTime(field: string, zone: TimeZoneChoice): string {
  const moment = new Date(zone === 'utc' ? zonedTime(field) : field);
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString().replace('.000Z', 'Z');
}
