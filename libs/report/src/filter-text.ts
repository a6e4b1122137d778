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
