import type { LedgerEntry } from './a-ledger-entry.ts';

type OperatorAction = Extract<LedgerEntry, { readonly __typename: 'OperatorAction' }>;

/** Whether an action is the end of an intervention: what it ended stands until nothing. */
export function isEnd(action: string): boolean {
  return ends.has(action);
}

const ends: ReadonlySet<string> = new Set(['EndSuspension', 'EndOverride', 'EndDryRun']);

/** How the intervention ended that an action began or ended; null: it did neither, it stands, or its end is not known. */
export function endingOf({ operatorAction, outcome, end, ...of }: Ending): OperatorAction['end'] {
  if (!isEnd(operatorAction) || outcome === 'Refused') return end;
  const expires = expiryOf(of.arguments);
  // What has expired acts no more from then on, however much later that is recorded.
  const time = expires !== null && Date.parse(expires) < Date.parse(of.time) ? expires : of.time;
  return { time, actor: of.actor, reason: null };
}

type Ending = Pick<OperatorAction, 'operatorAction' | 'outcome' | 'end' | 'arguments' | 'time' | 'actor'>;

/** When it was to expire, RFC 3339; null: it has no end of its own, or that was not kept. */
export function expiryOf(given: unknown): string | null {
  const { expires } = { ...(given as { readonly expires?: unknown } | null) };
  return typeof expires === 'string' ? expires : null;
}

/** Whether it was ended before it expired. */
export function isEndedEarly(entry: Ending): boolean {
  const [end, expires] = [endingOf(entry), expiryOf(entry.arguments)];
  return end !== null && expires !== null && Date.parse(end.time) < Date.parse(expires);
}
