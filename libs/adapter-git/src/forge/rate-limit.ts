import type { TextAnswer } from '../network/request-text.ts';

/** What is waited where a forge limits and does not say how long: what GitHub asks for. */
const defaultPauseMilliseconds = 60_000;

/** The longest that any of them lets wait is an hour; more is a clock that is wrong. */
const longestPauseMilliseconds = 3_600_000;

/** Below this a reset is a number of seconds from now (as the draft standard has it), above it a time. */
const earliestTimeSeconds = 1_000_000_000;

/**
 * How long a forge wants to be left alone, in milliseconds, at most an hour; undefined: it does not. An answer that
 * used up the last request counts too.
 *
 * GitHub: 403 or 429 with `retry-after`, or with no `x-ratelimit-remaining` and a time in `x-ratelimit-reset`, or
 * with words alone; GitLab: 429 with `retry-after` and `ratelimit-reset`.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 * @see https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/
 */
export function pauseOf(answer: TextAnswer, nowMilliseconds: number): number | undefined {
  if (!isLimited(answer) && remainingOf(answer) !== '0') return undefined;
  const now = timeOf(answer) ?? nowMilliseconds;
  const asked = retryAfter(answer, now) ?? reset(answer, now) ?? defaultPauseMilliseconds;
  return Math.min(Math.max(asked, 1_000), longestPauseMilliseconds);
}

/** Whether the answer is a refusal for having asked too often. */
export function isLimited(answer: TextAnswer): boolean {
  const { status, headers, text } = answer;
  if (status === 429) return true;
  if (status !== 403) return false;
  return remainingOf(answer) === '0' || headers['retry-after'] !== undefined || /rate limit/i.test(text);
}

function remainingOf({ headers }: TextAnswer): string | undefined {
  return oneOf(headers['x-ratelimit-remaining']) ?? oneOf(headers['ratelimit-remaining']);
}

/** The forge's own clock, so that ours may be wrong. */
function timeOf({ headers }: TextAnswer): number | undefined {
  return finite(Date.parse(headers.date ?? ''));
}

function retryAfter({ headers }: TextAnswer, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : finite(Date.parse(text) - now);
}

function reset({ headers }: TextAnswer, now: number): number | undefined {
  const text = oneOf(headers['x-ratelimit-reset']) ?? oneOf(headers['ratelimit-reset']);
  if (text === undefined || !/^\d{1,12}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds < earliestTimeSeconds ? seconds * 1_000 : seconds * 1_000 - now;
}

function oneOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
