import { matchesNamespace } from '#kernel';
import type { PolicyKey } from '#ledger';
import type { ReportFilter } from './report-statement.ts';

/** Whether a filter selects a policy by its names, whatever its team. */
export function selectsPolicy(filter: ReportFilter, { namespace, name }: PolicyKey): boolean {
  const { namespaces, policies } = filter;
  if (!selectsNamespace(namespaces, namespace) || !isVisible(filter, namespace)) return false;
  return policies === null || policies.includes(`${namespace}/${name}`);
}

/** Whether the reader of a report may view a namespace. */
export function isVisible({ visibleNamespaces }: ReportFilter, namespace: string): boolean {
  return selectsNamespace(visibleNamespaces, namespace);
}

function selectsNamespace(patterns: readonly string[] | null, namespace: string): boolean {
  return patterns === null || patterns.some((pattern) => matchesNamespace(pattern, namespace));
}
