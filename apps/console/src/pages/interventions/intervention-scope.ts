import type { RequiredRole } from '../../components/actions/required-role.ts';
import { interventions as texts } from '../../messages/interventions.ts';
import { links } from '../../navigation/links.ts';
import type { InterventionScopeKind } from '../../schema.generated.ts';

/** Which policies an intervention acts on; of the names, those that its kind has. */
export interface InterventionScope {
  readonly kind: InterventionScopeKind;
  readonly namespace?: string | null;
  readonly name?: string | null;
  readonly source?: string | null;
  readonly metricSource?: string | null;
}

/** For people: `shop/checkout`, `namespace shop`, `every policy`. */
export function scopeText(scope: InterventionScope): string {
  return placeTexts[scope.kind](scope);
}

const placeTexts: Readonly<Record<InterventionScopeKind, (scope: InterventionScope) => string>> = {
  Policy: ({ namespace, name }) => `${namespace ?? ''}/${name ?? ''}`,
  Namespace: ({ namespace }) => texts.places.namespace(namespace ?? ''),
  Source: ({ source }) => texts.places.source(source ?? ''),
  MetricSource: ({ metricSource }) => texts.places.metricSource(metricSource ?? ''),
  Cluster: () => texts.places.cluster,
};

/** Where its policies are looked at. */
export function scopeLink({ kind, namespace, name, source }: InterventionScope): string {
  if (kind === 'Policy') return links.policy({ namespace: namespace ?? '', name: name ?? '' });
  if (kind === 'Namespace') return links.fleetOf(namespace ?? '');
  return kind === 'Source' ? links.source(source ?? '') : links.fleet;
}

/**
 * Whom the beginning and the end of an intervention are for.
 *
 * @param roles those that the caller has in all that it is for, as the server says; absent: it has not been asked
 */
export function operatorOf({ kind, namespace }: InterventionScope, roles?: RequiredRoles): RequiredRole {
  const role = 'operator';
  if (kind === 'Source') return { role, place: texts.begin.itsNamespaces, roles };
  if (kind === 'MetricSource' || kind === 'Cluster') return { role, namespaces: ['*'] };
  // Which one is not said yet.
  if ((namespace ?? '') === '') return { role, place: texts.begin.itsNamespace };
  return { role, namespaces: [namespace ?? ''] };
}

type RequiredRoles = readonly RequiredRole['role'][];
