import type { Intervention } from '#decision';
import { type JsonObject, namespacedName, withoutUndefined } from '#kernel';
import type { InterventionScope } from '#ledger';
import type { Principal } from '../../auth/callers/principal.ts';
import type { Rehearsable } from '../requests/action-effect.ts';
import { QueryError } from '../requests/query-error.ts';
import type { OverriddenCounts } from './override-limits.ts';

/** Who intervenes, why, and until when. */
export interface InterventionRequest extends Rehearsable {
  readonly principal: Principal;
  /** May be left out of a dry run only. */
  readonly reason?: string | null | undefined;
  /** RFC 3339 with its zone. */
  readonly expires: string;
}

/** Which policies an intervention is for, as it is asked for. */
export interface ScopeRequest {
  /** `Policy`, `Namespace`, `Source`, `MetricSource` or `Cluster`, with the names that it wants and no others. */
  readonly scope: string;
  readonly namespace?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly source?: string | null | undefined;
  readonly metricSource?: string | null | undefined;
}

/** A direction that is not to be scaled in. */
export interface SuspensionRequest extends InterventionRequest, ScopeRequest {
  readonly direction: string;
}

/** Policies that are to decide and write nothing. */
export interface DryRunRequest extends InterventionRequest, ScopeRequest {}

/** Bounds or a count in place of a policy's own. */
export interface OverrideRequest extends InterventionRequest, OverriddenCounts {
  readonly namespace: string;
  readonly name: string;
  /** Also outside guardrails and the tenant's limits; for role admin. */
  readonly force?: boolean | null | undefined;
}

/** The end of an intervention before it expires. */
export interface InterventionEnd extends Rehearsable {
  readonly principal: Principal;
  readonly id: string;
  readonly reason?: string | null | undefined;
}

/** @throws QueryError `BadArgument` where the scope lacks a name, or has one too many */
export function scopeOf({ scope, namespace, name, source, metricSource }: ScopeRequest): InterventionScope {
  const names = {
    namespace: isGiven(namespace),
    name: isGiven(name),
    source: isGiven(source),
    metricSource: isGiven(metricSource),
  };
  const wanted = scopeNames[scope] ?? [];
  const others = Object.entries(names).filter(([key, isThere]) => isThere !== wanted.includes(key));
  if (others.length > 0) {
    const wants = wanted.length === 0 ? 'no name' : wanted.join(' and ');
    throw new QueryError('BadArgument', `scope ${scope} wants ${wants}, and nothing else`);
  }
  if (isGiven(namespace) && isGiven(name)) return { kind: 'Policy', namespace, name };
  if (isGiven(namespace)) return { kind: 'Namespace', namespace };
  if (isGiven(metricSource)) return { kind: 'MetricSource', metricSource };
  return isGiven(source) ? { kind: 'Source', source } : { kind: 'Cluster' };
}

/** For people: `namespace shop`. */
export function describeScope(scope: InterventionScope): string {
  switch (scope.kind) {
    case 'Policy':
      return `${scope.namespace}/${scope.name}`;
    case 'Namespace':
      return `namespace ${scope.namespace}`;
    case 'Source':
      return `source ${scope.source}`;
    case 'MetricSource':
      return `what ${scope.metricSource} scales`;
    case 'Cluster':
      return 'the cluster';
  }
}

const scopeNames: Readonly<Record<string, readonly string[]>> = {
  Policy: ['namespace', 'name'],
  Namespace: ['namespace'],
  Source: ['source'],
  MetricSource: ['metricSource'],
  Cluster: [],
};

/** Null: it is about more than one namespace. */
export function namespaceOf(scope: InterventionScope): string | null {
  return scope.kind === 'Policy' || scope.kind === 'Namespace' ? scope.namespace : null;
}

/** For people. */
export const interventionNames: Readonly<Record<Intervention['kind'], string>> = {
  Suspend: 'suspension',
  Override: 'override',
  DryRun: 'dry run',
};

/** `the suspension by ann`, for a sentence about one that stands. */
export function interventionText({ kind, actor }: Intervention): string {
  return `the ${interventionNames[kind]} by ${actor ?? 'nobody named'}`;
}

/** The names of the scope, as the ledger has them. */
export function scopeArguments({ scope, namespace, name, source, metricSource }: ScopeRequest): JsonObject {
  const isPolicy = isGiven(namespace) && isGiven(name);
  const named = isPolicy ? { policy: namespacedName({ namespace, name }) } : withoutNull({ namespace, name });
  return { scope, ...named, ...withoutNull({ source, metricSource }) };
}

/** What is given, without what is left out. */
export function withoutNull<K extends string, T extends string | number>(
  values: Readonly<Record<K, T | null | undefined>>,
): { readonly [N in K]?: T } {
  const given = Object.entries(values).map(([key, value]) => [key, value ?? undefined]);
  return withoutUndefined(Object.fromEntries(given) as { [N in K]?: T });
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
