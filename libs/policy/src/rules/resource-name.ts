import type { Fields } from '../reading/fields.ts';
import { showValue } from '../reading/show-value.ts';
import { qualifiedNameFault } from './names.ts';

const standardNames = new Set(['cpu', 'memory', 'ephemeral-storage']);
const hugePagesPrefix = 'hugepages-';
const nativeDomain = 'kubernetes.io/';
const quotaPrefix = 'requests.';

/**
 * What is wrong with the name of a container's resource: `cpu`, `memory`, `ephemeral-storage`, `hugepages-*`, a
 * Kubernetes resource with a prefix, or an extended resource.
 */
export function containerResourceFault(name: string): string | undefined {
  const fault = qualifiedNameFault(name);
  if (fault !== undefined) return fault;
  if (!name.includes('/')) {
    const isStandard = standardNames.has(name) || name.startsWith(hugePagesPrefix);
    return isStandard ? undefined : 'must be cpu, memory, ephemeral-storage, hugepages-… or have a prefix';
  }
  if (name.includes(nativeDomain)) return undefined;
  if (name.startsWith(quotaPrefix)) return `must not begin with ${quotaPrefix}`;
  const quotaFault = qualifiedNameFault(quotaPrefix + name);
  return quotaFault === undefined ? undefined : `with ${quotaPrefix} before it ${quotaFault}`;
}

/** Warns of a resource that no container can request: upstream takes any name, and the metric is never read. */
export function warnOfUnknownResource(fields: Fields, name: string | undefined): void {
  if (name === undefined || containerResourceFault(name) === undefined) return;
  fields.report('name', {
    severity: 'warning',
    code: 'UnknownResource',
    message: `no container can request the resource ${showValue(name)}, so that its usage is never read`,
    hint: 'name cpu or memory, as containers request them, or use a metric of another type',
  });
}
