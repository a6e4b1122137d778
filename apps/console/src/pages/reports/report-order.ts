import type { ReportFormat } from '../../schema.generated.ts';
import type { RequestReportMutationVariables } from './reports.generated.ts';

/** The fields of the form, as they were typed. */
export interface ReportForm {
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
  readonly namespaces: string;
  readonly policies: string;
  readonly teams: string;
  readonly teamLabel: string;
  readonly price: string;
  readonly currency: string;
  readonly format: ReportFormat;
}

/** The seven days before today, which is the usual question, in a time zone of the IANA database. */
export function lastWeek(now: number, timeZone = 'UTC'): ReportForm {
  return {
    ...daysOf('lastWeek', now, timeZone),
    timeZone,
    namespaces: '',
    policies: '',
    teams: '',
    teamLabel: 'team',
    price: '',
    currency: 'EUR',
    format: 'html',
  };
}

/** Periods that are asked for often. */
export const reportPeriods = ['lastWeek', 'thisMonth', 'lastMonth', 'untilNow'] as const;
export type ReportPeriodChoice = (typeof reportPeriods)[number];

/**
 * The days of a period as the fields have them: the last one is not in it, and no last one is now. Days are those of the
 * time zone; one that is none counts as UTC, as whoever types it is told when it is sent.
 */
export function daysOf(
  period: ReportPeriodChoice,
  now: number,
  timeZone: string,
): Pick<ReportForm, 'from' | 'until'> {
  const today = todayIn(now, timeZone);
  const [year = 0, month = 1] = today.split('-').map(Number);
  const firstOf = (offset: number): string => dayText(Date.UTC(year, month - 1 + offset, 1));
  switch (period) {
    case 'lastWeek':
      return { from: dayText(Date.parse(today) - 7 * dayMilliseconds), until: today };
    case 'thisMonth':
      return { from: firstOf(0), until: '' };
    case 'lastMonth':
      return { from: firstOf(-1), until: firstOf(0) };
    case 'untilNow':
      return { from: today, until: '' };
  }
}

const dayMilliseconds = 86_400_000;

/** `2026-11-24` */
function todayIn(now: number, timeZone: string): string {
  try {
    // Swedish dates are written as ISO 8601 has them.
    return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(now);
  } catch {
    return dayText(now);
  }
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** What the API is asked for. What is empty is left out; whether the rest is sensible is for the server to judge. */
export function orderOf(form: ReportForm): RequestReportMutationVariables {
  const { from, until, timeZone, teamLabel, currency, format } = form;
  const price = form.price.trim();
  return {
    from,
    timeZone: timeZone.trim(),
    teamLabel: teamLabel.trim(),
    format,
    ...(until === '' ? {} : { until }),
    ...listed('namespaces', form.namespaces),
    ...listed('policies', form.policies),
    ...listed('teams', form.teams),
    ...(price === '' ? {} : { price: { perReplicaHour: price, currency: currency.trim().toUpperCase() } }),
  };
}

/** Names are apart by commas or white space. */
function listed(
  name: 'namespaces' | 'policies' | 'teams',
  text: string,
): Partial<RequestReportMutationVariables> {
  const names = text.split(/[\s,]+/).filter((each) => each !== '');
  return names.length === 0 ? {} : { [name]: names };
}
