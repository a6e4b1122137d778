import type { JsonObject } from '#kernel';

import type { ReadContext } from '../kinds/read-context.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { readPolicy } from '../parse-policy.ts';
import type { RepositoryDocument, TenantDiagnostic } from '../repository/repository-reading.ts';
import type { TenantOptions } from '../repository/repository-options.ts';
import type { Problem } from '../diagnostic.ts';

/** A policy as it would be in force: defaults merged, validated, within its tenant. */
export interface ResolvedPolicy {
  readonly source: RepositoryDocument;
  readonly policy: EffectivePolicy;
  /** The document with PolicyDefaults applied. */
  readonly document: JsonObject;
}

/** What a tenant's documents come to. */
export interface ResolvedSet {
  readonly policies: readonly ResolvedPolicy[];
  /** Errors: the set is invalid. */
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** What documents are resolved with. */
export interface ResolveContext {
  readonly read: ReadContext;
  readonly tenant: (name: string) => TenantOptions | undefined;
}

/** Whether a set has no error. */
export function isValid(set: ResolvedSet): boolean {
  return !set.diagnostics.some(({ severity }) => severity === 'error');
}

/** Validates one tenant's documents, with its own defaults and guardrails and the root's. */
export function resolveDocuments(
  documents: readonly RepositoryDocument[],
  _root: readonly RepositoryDocument[],
  context: ResolveContext,
): ResolvedSet {
  const policies: ResolvedPolicy[] = [];
  const diagnostics: TenantDiagnostic[] = [];
  for (const source of documents) {
    if (source.role !== 'Policy') continue;
    const reading = readPolicy(source.value, readContext(source, context));
    diagnostics.push(...reading.problems.map((problem) => placed(source, problem)));
    if (reading.policy === undefined) continue;
    const limits = tenantProblems(reading.policy, context.tenant(source.tenant));
    diagnostics.push(...limits.map((problem) => placed(source, problem)));
    policies.push({ source, policy: reading.policy, document: source.value });
  }
  return { policies, diagnostics };
}

function readContext(source: RepositoryDocument, context: ResolveContext): ReadContext {
  const servers = context.tenant(source.tenant)?.servers;
  if (servers === undefined) return context.read;
  const { prometheusServers, recommenderHosts } = context.read;
  const allowed = new Set(servers);
  return {
    ...context.read,
    prometheusServers: prometheusServers === undefined ? allowed : prometheusServers.intersection(allowed),
    ...(recommenderHosts === undefined ? {} : { recommenderHosts: recommenderHosts.intersection(allowed) }),
  };
}

/** A problem at its place in the file that the document was read from. */
export function placed(source: RepositoryDocument, problem: Problem): TenantDiagnostic {
  return { ...problem, file: source.file, ...source.locate(problem.path), tenant: source.tenant };
}

function tenantProblems(policy: EffectivePolicy, tenant: TenantOptions | undefined): readonly Problem[] {
  if (tenant === undefined) return [];
  const { namespaces, limits } = tenant;
  const problems: Problem[] = [];
  if (namespaces !== undefined && !namespaces.includes(policy.namespace))
    problems.push({
      severity: 'error',
      code: 'NamespaceNotAllowed',
      message: `tenant ${tenant.name} may touch ${namespaces.join(', ')}, not namespace ${policy.namespace}`,
      path: ['metadata', 'namespace'],
    });
  if (limits?.maxReplicas !== undefined && largestBound(policy) > limits.maxReplicas)
    problems.push({
      severity: 'error',
      code: 'TenantLimit',
      message: `tenant ${tenant.name} may have at most ${limits.maxReplicas} replicas, ${largestBound(policy)} are asked for`,
      path: ['spec', 'maxReplicas'],
    });
  if (limits?.minIntervalSeconds !== undefined && policy.intervalSeconds < limits.minIntervalSeconds)
    problems.push({
      severity: 'error',
      code: 'TenantLimit',
      message: `tenant ${tenant.name} may evaluate every ${limits.minIntervalSeconds} s at most, not every ${policy.intervalSeconds} s`,
      path: ['spec', 'interval'],
    });
  return problems;
}

/** The most replicas that a policy can ask for, its schedules and its restored count included. */
function largestBound(policy: EffectivePolicy): number {
  const scheduled = policy.schedules.flatMap(({ minReplicas = 0, maxReplicas = 0 }) => [
    minReplicas,
    maxReplicas,
  ]);
  return Math.max(policy.maxReplicas, policy.replicas ?? 0, ...scheduled);
}
