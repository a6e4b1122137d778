import type { Problem } from '#policy';
import { rootTenant, type TenantOptions } from '../files/repository-options.ts';
import type { DocumentInForce } from './in-force.ts';
import { PolicyRules } from './policy-rules.ts';
import { ruleProblems } from './resolve-documents.ts';

/** Bounds that stand in for a policy's own for a while; absent: its own. */
export interface OtherBounds {
  readonly minReplicas?: number | undefined;
  readonly maxReplicas?: number | undefined;
}

/** What bounds are judged with. */
export interface BoundsContext {
  /** All documents that the policy's source has in force. */
  readonly documents: readonly DocumentInForce[];
  readonly tenant: TenantOptions | undefined;
}

/**
 * The errors that a policy in force would have with other bounds and has not with its own: of the guardrails in force
 * that apply to it, and of its tenant's limits. Pure.
 */
export function judgeBounds(
  { source, policy }: DocumentInForce,
  { minReplicas, maxReplicas }: OtherBounds,
  { documents, tenant }: BoundsContext,
): readonly Problem[] {
  if (policy === undefined) return [];
  const shared = documents.filter((each) => [source.tenant, rootTenant].includes(each.source.tenant));
  const rules = new PolicyRules(shared.map((each) => each.source));
  const bounded = {
    ...policy,
    minReplicas: minReplicas ?? policy.minReplicas,
    maxReplicas: maxReplicas ?? policy.maxReplicas,
  };
  const [before, after] = [policy, bounded].map((each) => ruleProblems(source, each, { rules, tenant }));
  const known = new Set(before?.map(({ message }) => message));
  return (after ?? []).filter(({ severity, message }) => severity === 'error' && !known.has(message));
}
