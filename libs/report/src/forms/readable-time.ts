import { localText, timeMilliseconds } from '../terms/period.ts';
import { escapeHtml } from './escape-html.ts';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `Mon 1 Mar 2027 00:00`, in the time zone; with seconds where there are some. */
export function readableDay(milliseconds: number, timeZone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(timeZone);
  const { dayOfWeek, day, month, year, second } = zoned;
  const clock = zoned.toPlainTime().toString({ smallestUnit: second === 0 ? 'minute' : 'second' });
  return `${weekdays[dayOfWeek - 1] ?? ''} ${day} ${months[month - 1] ?? ''} ${year} ${clock}`;
}

/** As {@link readableDay}, with the offset: an hour that the clocks go through twice is told apart. */
export function readableTime(milliseconds: number, timeZone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(timeZone);
  return `${readableDay(milliseconds, timeZone)} ${timeZone === 'UTC' ? 'UTC' : zoned.offset}`;
}

/** A moment as a person reads it, with what a program reads in `datetime`. */
export function timeHtml(milliseconds: number, timeZone: string, text = readableTime): string {
  return `<time datetime="${escapeHtml(localText(milliseconds, timeZone))}">${escapeHtml(text(milliseconds, timeZone))}</time>`;
}

/** Of RFC 3339, as {@link readableTime} writes it; what is no time stays as it is. */
export function recordedTimeText(time: string, timeZone: string): string {
  const milliseconds = timeMilliseconds(time);
  return milliseconds === null ? time : readableTime(milliseconds, timeZone);
}

/** Of RFC 3339; what is no time stays as it is. */
export function recordedTimeHtml(time: string, timeZone: string): string {
  const milliseconds = timeMilliseconds(time);
  return milliseconds === null ? escapeHtml(time) : timeHtml(milliseconds, timeZone);
}
