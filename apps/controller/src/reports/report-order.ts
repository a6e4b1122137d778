import { parsePeriod, parsePrice, type ReportFilter, type ReportFormat, type ReportRequest } from '#report';
import { QueryError } from '../admin/requests/query-error.ts';
import { type Principal, visibleNamespaces } from '../auth/callers/principal.ts';

/** A report as a caller asks for it. */
export interface ReportOrder {
  /** A date, which is a midnight of the time zone, or an RFC 3339 time. */
  readonly from: string;
  /** Exclusive; absent: the present. */
  readonly until?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  readonly namespaces?: readonly string[] | null | undefined;
  readonly policies?: readonly string[] | null | undefined;
  readonly teams?: readonly string[] | null | undefined;
  readonly teamLabel?: string | null | undefined;
  readonly price?: { readonly perReplicaHour: string; readonly currency: string } | null | undefined;
  readonly format?: ReportFormat | null | undefined;
}

const maximumNames = 1_000;
const maximumNameCharacters = 320;

/**
 * What a caller may have of what it asks for: a report holds what the caller may view, and says so.
 *
 * @throws QueryError `BadArgument`, `BadTime`
 */
export function requestOf(order: ReportOrder, caller: Principal, now: string): ReportRequest {
  const scope = visibleNamespaces(caller, 'viewer');
  const filter: ReportFilter = {
    namespaces: namesOf(order.namespaces, 'namespaces', /^[a-z0-9*-]{1,63}$/),
    policies: namesOf(order.policies, 'policies', /^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/),
    teams: namesOf(order.teams, 'teams', /^\P{Cc}+$/u),
    teamLabel: labelOf(order.teamLabel ?? 'team'),
    visibleNamespaces: scope.kind === 'All' ? null : scope.patterns,
  };
  return { period: periodOf(order, now), filter, price: priceOf(order.price) };
}

/** @throws QueryError `BadTime` */
function periodOf({ from, until, timeZone }: ReportOrder, now: string): ReportRequest['period'] {
  const period = parsePeriod({ from, until: until ?? now, timeZone: timeZone ?? 'UTC' });
  if (!period.ok) throw new QueryError('BadTime', period.error);
  if (period.value.until <= Date.parse(now)) return period.value;
  throw new QueryError('BadTime', `the period ends after ${now}, the present: give an earlier until`);
}

function priceOf(price: ReportOrder['price']): ReportRequest['price'] {
  if (price === null || price === undefined) return null;
  const parsed = parsePrice(price.perReplicaHour, price.currency);
  if (parsed !== null) return parsed;
  throw new QueryError(
    'BadArgument',
    `price is ${shown(price.perReplicaHour)} ${shown(price.currency)}: a decimal of at most six places, and a code such as EUR`,
  );
}

function namesOf(
  given: readonly string[] | null | undefined,
  what: string,
  form: RegExp,
): readonly string[] | null {
  if (given === null || given === undefined) return null;
  if (given.length < 1 || given.length > maximumNames)
    throw new QueryError('BadArgument', `${what} has ${given.length} items, 1 to ${maximumNames} are taken`);
  const strange = given.find((name) => name.length > maximumNameCharacters || !form.test(name));
  if (strange === undefined) return given;
  throw new QueryError('BadArgument', `${what} has ${shown(strange)}, which is none`);
}

/** With the prefix that a label of Kubernetes may have. */
const labelForm = /^[A-Za-z0-9./_-]{1,317}$/;

function labelOf(label: string): string {
  if (labelForm.test(label)) return label;
  throw new QueryError('BadArgument', `teamLabel is ${shown(label)}, which is no label`);
}

const shownCharacters = 100;

function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownCharacters));
}
