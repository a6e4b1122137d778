import { type Instant, parseInstant, withoutUndefined } from '#kernel';
import type { PolicyKey } from '#ledger';
import { QueryError } from './query-error.ts';

/** A time of the ledger, as nanoseconds since 1970. @throws QueryError `BadTime` */
export function nanosecondsAt(field: string, text: string): bigint {
  const { seconds, nanos } = instantOf(field, text);
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}

/** From when on, and until when what is asked for is; what is left out is not bounded. */
export interface AskedSpan {
  /** RFC 3339, inclusive. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
}

/**
 * A span of the ledger, in nanoseconds since 1970, with what of it was given. One that ends before it begins is refused: an
 * empty answer would read as if nothing had happened.
 *
 * @throws QueryError `BadTime`
 */
export function spanOf({ from, until }: AskedSpan): { readonly from?: bigint; readonly until?: bigint } {
  const start = from === undefined ? undefined : nanosecondsAt('from', from);
  const end = until === undefined ? undefined : nanosecondsAt('until', until);
  if (start !== undefined && end !== undefined && start >= end) {
    throw new QueryError(
      'BadTime',
      `until is ${shown(until ?? '')}, which is not after from, ${shown(from ?? '')}`,
    );
  }
  return withoutUndefined({ from: start, until: end });
}

/** A time that has come, in UTC and to the millisecond. @throws QueryError `BadTime` */
export function pastTime(field: string, text: string, now: string): string {
  const { seconds, nanos } = instantOf(field, text);
  if (seconds > Date.parse(now) / 1000)
    throw new QueryError('BadTime', `${field} is ${shown(text)}, which is in the future: it is ${now}`);
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
}

/** Addresses have a space for each + that is not encoded. */
const lostPlus = / \d\d:\d\d$/;

/** Nanoseconds of later times are beyond 64 bits. */
const lastSecond = Date.parse('2262-01-01T00:00:00Z') / 1000;

/** Without a zone a time would be that of wherever the server stands. */
function instantOf(field: string, text: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined && instant.seconds >= 0 && instant.seconds < lastSecond) return instant;
  const form = 'a time is RFC 3339 with its zone (2026-11-22T05:00:00Z), from 1970 to 2261';
  const cure = lostPlus.test(text) ? '; in an address, + is written %2B' : '';
  throw new QueryError('BadTime', `${field} is ${shown(text)}; ${form}${cure}`);
}

/** Longer than any name of Kubernetes. */
const maximumNameCharacters = 253;

/** A policy's name, of which the API server would accept both parts. @throws QueryError `BadName` */
export function checkedPolicy({ namespace, name }: PolicyKey): PolicyKey {
  return { namespace: checkedName('namespace', namespace), name: checkedName('name', name) };
}

/** A name that the API server would accept. @throws QueryError `BadName` */
export function checkedName(field: string, text: string): string {
  if (text.length <= maximumNameCharacters && /^[a-z0-9][a-z0-9.-]*$/.test(text)) return text;
  throw new QueryError(
    'BadName',
    `${field} is ${shown(text)}; a name has lower-case letters, digits, - and .`,
  );
}

/** A name of a person or token, or an object name of a commit. @throws QueryError `BadArgument` */
export function checkedText(field: string, text: string, form: RegExp): string {
  if (form.test(text)) return text;
  throw new QueryError('BadArgument', `${field} is ${shown(text)}, which is no ${field} of this API`);
}

/** The full object name of a commit, of SHA-1 or SHA-256. */
const commitForm = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The full object name of a commit. @throws QueryError `BadArgument` */
export function checkedCommit(text: string): string {
  return checkedText('commit', text, commitForm);
}

const shownCharacters = 100;

/** A value of a caller's as messages have it. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownCharacters));
}
