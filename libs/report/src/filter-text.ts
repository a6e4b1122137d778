import type { ReportFilter } from './report-statement.ts';

/** A filter in words. */
export function filterText({ namespaces, policies, teams, teamLabel }: ReportFilter): string {
  const parts = [
    ...(namespaces === null ? [] : [`namespaces ${namespaces.join(', ')}`]),
    ...(policies === null ? [] : [`policies ${policies.join(', ')}`]),
    ...(teams === null ? [] : [`teams ${teams.join(', ')} (label ${teamLabel})`]),
  ];
  return parts.length === 0 ? 'none, everything is reported' : parts.join('; ');
}
