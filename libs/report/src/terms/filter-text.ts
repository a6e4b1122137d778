import type { ReportFilter } from './report-statement.ts';

/** A filter in words. */
export function filterText({
  namespaces,
  policies,
  teams,
  teamLabel,
  visibleNamespaces: visible,
}: ReportFilter): string {
  const parts = [
    ...(namespaces === null ? [] : [`namespaces ${namespaces.join(', ')}`]),
    ...(policies === null ? [] : [`policies ${policies.join(', ')}`]),
    ...(teams === null ? [] : [`teams ${teams.join(', ')} (label ${teamLabel})`]),
    ...(visible === null ? [] : [`what may be seen of namespaces ${visible.join(', ')}`]),
  ];
  return parts.length === 0 ? 'none, everything is reported' : parts.join('; ');
}

/** What a report does not have though it happened in its period, and which report has it; null: it has everything. */
export function leftOutText({ namespaces, policies, teams, visibleNamespaces }: ReportFilter): string | null {
  const isFiltered = [namespaces, policies, teams].some((each) => each !== null);
  if (visibleNamespaces === null && !isFiltered) return null;
  const actions =
    teams === null
      ? 'what operators did to whole sources, the cluster or the settings'
      : 'actions of operators';
  const where =
    visibleNamespaces === null ? 'a report without a filter has them' : 'needs viewer of all namespaces';
  return `syncs, and ${actions}: ${where}`;
}
