import type { Intervention } from '#decision';
import { namespacedName } from '#kernel';

/** Which policies an intervention is for. */
export type InterventionScope =
  | { readonly kind: 'Policy'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'Namespace'; readonly namespace: string }
  | { readonly kind: 'Source'; readonly source: string }
  /** Policies with a metric of the source: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`. */
  | { readonly kind: 'MetricSource'; readonly metricSource: string }
  | { readonly kind: 'Cluster' };

/** `shop/checkout`, or the kind of any other scope and what it names: the same text for equal scopes alone. */
export function scopeName(scope: InterventionScope): string {
  switch (scope.kind) {
    case 'Policy':
      return namespacedName(scope);
    case 'Namespace':
      return `Namespace ${scope.namespace}`;
    case 'Source':
      return `Source ${scope.source}`;
    case 'MetricSource':
      return `MetricSource ${scope.metricSource}`;
    case 'Cluster':
      return 'Cluster';
  }
}

/** An intervention that has begun and whose end is not recorded: one mutable row each, outside the chain. */
export interface StandingIntervention {
  /** A UUID. */
  readonly id: string;
  readonly scope: InterventionScope;
  readonly intervention: Intervention;
  /** What guardrails and the tenant's limits said against it as it began; absent: it was not forced. */
  readonly against?: readonly string[];
}

/** What a request does to the standing interventions, in the transaction of the entries that say so. */
export interface InterventionChanges {
  readonly begin?: readonly StandingIntervention[];
  /** Ids. One that does not stand refuses the request. */
  readonly end?: readonly string[];
}
