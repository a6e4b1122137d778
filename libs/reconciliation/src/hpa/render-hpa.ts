import type { JsonObject } from '#kernel';
import { type EffectivePolicy, metricDocument } from '#policy';
import { type EffectiveLimits, effectiveLimits, type InForce } from './effective-limits.ts';
import { isLabelValue } from './label-value.ts';
import { renderBehavior } from './render-behavior.ts';

/** What a policy wants its HPA to be: the HPA has the policy's own name and namespace. */
export interface RenderedHpa {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The scale target, which controls the HPA: with it the HPA is deleted. */
  readonly owner: HpaOwner;
  /** `autoscaling/v2`, every default filled in. */
  readonly spec: JsonObject;
  /** The windows and interventions that are rendered into it, for people. */
  readonly inForce: readonly string[];
  /** How the native controller will act otherwise than the decision, in sentences. */
  readonly departures: readonly string[];
}

/** The object that an HPA scales, as its controller owner. */
export interface HpaOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The policy that an HPA is rendered from, `shop/checkout`. */
export const policyAnnotation = 'plimsoll.dev/policy';
/** When the first window or intervention that is rendered ends. */
export const untilAnnotation = 'plimsoll.dev/until';
/** Who made it. */
export const managedByLabel = 'app.kubernetes.io/managed-by';

/** Labels and annotations that Plimsoll sets and takes away; others are left alone. */
export const ownLabels = ['app.kubernetes.io/name', 'app.kubernetes.io/instance', managedByLabel] as const;
export const ownAnnotations = [policyAnnotation, untilAnnotation] as const;

/**
 * The HPA that does what the policy says while these windows and interventions are in force. A pin is minimum = maximum,
 * a stop `selectPolicy: Disabled`. Pure.
 *
 * @param targetUid of the scale target
 */
export function renderHpa(policy: EffectivePolicy, targetUid: string, inForce: InForce): RenderedHpa {
  const { namespace, name, target } = policy;
  const limits = effectiveLimits(policy, inForce);
  const { behavior, departures } = renderBehavior(policy.behavior, limits.stops);
  const bounds = boundsOf(limits);
  return {
    namespace,
    name,
    labels: labelsOf(policy),
    annotations: {
      [policyAnnotation]: `${namespace}/${name}`,
      ...(limits.until !== null && { [untilAnnotation]: limits.until }),
    },
    owner: { ...target, uid: targetUid },
    spec: {
      scaleTargetRef: { ...target },
      minReplicas: bounds.min,
      maxReplicas: bounds.max,
      metrics: policy.metrics.map(metricDocument),
      ...(behavior !== null && { behavior }),
    },
    inForce: limits.names,
    departures: [...bounds.departures, ...departures],
  };
}

/**
 * How the HPA of a policy acts otherwise than its decisions while these windows and interventions are in force, in
 * sentences. None of a policy that has no HPA: it is carried out by scale, disabled, or a dry run. Pure.
 */
export function renderedDepartures(policy: EffectivePolicy, inForce: InForce): readonly string[] {
  if (policy.actuation !== 'HorizontalPodAutoscaler' || !policy.enabled || policy.dryRun) return [];
  const limits = effectiveLimits(policy, inForce);
  return [...boundsOf(limits).departures, ...renderBehavior(policy.behavior, limits.stops).departures];
}

function boundsOf({ minReplicas, maxReplicas, pin }: EffectiveLimits): {
  readonly min: number;
  readonly max: number;
  readonly departures: readonly string[];
} {
  const min = pin ?? minReplicas;
  // autoscaling/v2 has no maximum of 0.
  const max = Math.max(1, pin ?? maxReplicas);
  if (pin !== 0) return { min, max, departures: [] };
  return { min, max, departures: ['a pin of 0 replicas is rendered as at most 1'] };
}

/** The labels that an HPA of the policy gets. */
export function labelsOf({ target, name }: EffectivePolicy): Readonly<Record<string, string>> {
  const [targetLabel, policyLabel, managerLabel] = ownLabels;
  return {
    ...(isLabelValue(target.name) && { [targetLabel]: target.name }),
    ...(isLabelValue(name) && { [policyLabel]: name }),
    [managerLabel]: 'plimsoll',
  };
}
