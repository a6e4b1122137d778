import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type EffectivePolicy, type Problem, writtenInterval } from '#policy';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import type { TenantOptions } from '../files/repository-options.ts';

/** What a valid policy breaks of the limits of its tenant. */
export function tenantProblems(
  policy: EffectivePolicy,
  tenant: TenantOptions | undefined,
): readonly Problem[] {
  if (tenant === undefined) return [];
  return [
    ...namespaceProblems(policy.namespace, tenant),
    ...replicasProblems(policy, tenant),
    ...intervalProblems(policy.intervalSeconds, tenant),
  ];
}

/** What a document breaks of them whatever else is wrong with it: all of its errors are told at once. */
export function writtenProblems(
  { namespace, kind }: Pick<RepositoryDocument, 'namespace' | 'kind'>,
  { spec = null }: JsonObject,
  tenant: TenantOptions | undefined,
): readonly Problem[] {
  if (tenant === undefined) return [];
  const written = isJsonObject(spec) ? spec : null;
  const interval = written === null ? undefined : writtenInterval(kind, written);
  return [
    ...namespaceProblems(namespace, tenant),
    ...(written === null ? [] : replicasProblems(askedOf(kind, written), tenant)),
    ...(interval === undefined ? [] : intervalProblems(interval, tenant)),
  ];
}

function namespaceProblems(namespace: string, { name, namespaces }: TenantOptions): readonly Problem[] {
  if (namespaces === undefined || namespaces.includes(namespace)) return [];
  const message = `tenant ${name} may touch ${namespaces.join(', ')}, not namespace ${namespace}`;
  return [{ severity: 'error', code: 'NamespaceNotAllowed', message, path: ['metadata', 'namespace'] }];
}

/** Where a policy asks for replicas. */
interface AskedReplicas {
  readonly maxReplicas: number;
  readonly replicas?: number;
  readonly schedules: readonly { readonly minReplicas?: number; readonly maxReplicas?: number }[];
}

/** The largest count that is asked for, its schedules and its restored count included, at its field. */
function replicasProblems(
  { maxReplicas, replicas = 0, schedules }: AskedReplicas,
  { name, limits }: TenantOptions,
): readonly Problem[] {
  const asked: readonly (readonly [number, Problem['path']])[] = [
    [maxReplicas, ['spec', 'maxReplicas']],
    [replicas, ['spec', 'replicas']],
    ...schedules.flatMap(({ minReplicas = 0, maxReplicas: maximum = 0 }, index) => [
      [minReplicas, ['spec', 'schedules', index, 'minReplicas']] as const,
      [maximum, ['spec', 'schedules', index, 'maxReplicas']] as const,
    ]),
  ];
  const [largest, path] = asked.reduce((one, other) => (other[0] > one[0] ? other : one));
  if (limits?.maxReplicas === undefined || largest <= limits.maxReplicas) return [];
  const message = `tenant ${name} may have at most ${limits.maxReplicas} replicas, ${largest} are asked for`;
  return [{ severity: 'error', code: 'TenantLimit', message, path }];
}

function intervalProblems(seconds: number, { name, limits }: TenantOptions): readonly Problem[] {
  if (limits?.minIntervalSeconds === undefined || seconds >= limits.minIntervalSeconds) return [];
  const message = `tenant ${name} may evaluate every ${limits.minIntervalSeconds} s at most, not every ${seconds} s`;
  return [{ severity: 'error', code: 'TenantLimit', message, path: ['spec', 'interval'] }];
}

/** What is no count asks for none: that is told of its field alone. */
function askedOf(kind: string, { maxReplicas, replicas, schedules }: JsonObject): AskedReplicas {
  const hasOwn = kind === 'AutoscalingPolicy';
  return {
    maxReplicas: countOf(maxReplicas),
    ...(hasOwn && { replicas: countOf(replicas) }),
    schedules:
      hasOwn && Array.isArray(schedules)
        ? schedules.map((each: Json) =>
            isJsonObject(each)
              ? { minReplicas: countOf(each['minReplicas']), maxReplicas: countOf(each['maxReplicas']) }
              : {},
          )
        : [],
  };
}

function countOf(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
