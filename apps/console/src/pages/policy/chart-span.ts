/** Of which a chart shows the last ones. */
export const spanHours = [0.25, 1, 6, 24, 168] as const;

const usualHours = 1;
const hourMilliseconds = 3_600_000;

/** A chart of less shows no more. */
const shortestMilliseconds = 60_000;

/** The API reads no more at once. */
const longestMilliseconds = 31 * 24 * hourMilliseconds;

/** What of the time was chosen, as the address has it. */
export type ChosenSpan =
  | { readonly kind: 'Usual' | 'Hours'; readonly hours: number }
  | { readonly kind: 'Times'; readonly from: string; readonly until: string };

/** How a span is changed without a pointer that drags. */
export type SpanStep = 'Earlier' | 'Later' | 'Closer' | 'Further';

/** The span that an address names; one that names none, or what is no time, has the usual one. */
export function spanIn(parameters: URLSearchParams): ChosenSpan {
  const [from, until] = ['from', 'until'].map((name) => Date.parse(parameters.get(name) ?? ''));
  if (from !== undefined && until !== undefined && from < until)
    return { kind: 'Times', from: timeOf(from), until: timeOf(until) };
  const asked = parameters.get('hours');
  const hours = spanHours.find((each) => String(each) === asked);
  return hours === undefined ? { kind: 'Usual', hours: usualHours } : { kind: 'Hours', hours };
}

/** The address's parameters with the span; others that were there stay. */
export function withSpan(before: URLSearchParams, span: ChosenSpan): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const name of ['from', 'until', 'hours']) next.delete(name);
  if (span.kind === 'Hours') next.set('hours', String(span.hours));
  if (span.kind === 'Times') {
    next.set('from', span.from);
    next.set('until', span.until);
  }
  return next;
}

/** The span a step on: half of itself earlier or later, half or twice as long about its middle; never after the present. */
export function stepSpan(
  { from, until }: { readonly from: number; readonly until: number },
  step: SpanStep,
  now: number,
): ChosenSpan {
  const length = until - from;
  const wanted = length * { Earlier: 1, Later: 1, Closer: 0.5, Further: 2 }[step];
  const next = Math.min(longestMilliseconds, Math.max(shortestMilliseconds, wanted));
  const shift = { Earlier: -length / 2, Later: length / 2, Closer: 0, Further: 0 }[step];
  const end = Math.min(now, (from + until) / 2 + shift + next / 2);
  return { kind: 'Times', from: timeOf(end - next), until: timeOf(end) };
}

/** RFC 3339, of milliseconds since 1970. */
export function timeOf(milliseconds: number): string {
  return new Date(Math.round(milliseconds)).toISOString();
}

/** Milliseconds that so many hours are. */
export function hoursMilliseconds(hours: number): number {
  return hours * hourMilliseconds;
}
