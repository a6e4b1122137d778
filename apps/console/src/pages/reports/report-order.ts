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

const dayMilliseconds = 86_400_000;

/** The seven days before today, which is the usual question. */
export function lastWeek(now: number): ReportForm {
  const day = (before: number): string => new Date(now - before * dayMilliseconds).toISOString().slice(0, 10);
  return {
    from: day(7),
    until: day(0),
    timeZone: 'UTC',
    namespaces: '',
    policies: '',
    teams: '',
    teamLabel: 'team',
    price: '',
    currency: 'EUR',
    format: 'html',
  };
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
