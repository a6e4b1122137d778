import type { Json, JsonObject } from '#kernel';
import type { BehaviorRules, DirectionRules, EffectivePolicy } from '#policy';
import type { Stop } from './effective-limits.ts';

/** `spec.behavior`, and how the native controller will act otherwise than the decision. */
export interface RenderedBehavior {
  /** Null: the HPA has none, and is scaled by the rules without behavior. */
  readonly behavior: JsonObject | null;
  readonly departures: readonly string[];
}

/**
 * The behavior of a rendered HPA. A stopped direction gets `selectPolicy: Disabled`, beside which autoscaling/v2 fills
 * in both directions; so where the policy has no behavior, the other one is written with what comes closest to the rules
 * without behavior.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Without behavior"
 */
export function renderBehavior(rules: BehaviorRules, stops: readonly Stop[]): RenderedBehavior {
  const up = stops.filter(({ direction }) => direction !== 'Down');
  const down = stops.filter(({ direction }) => direction !== 'Up');
  if (stops.length === 0)
    return { behavior: rules.isSet ? behaviorOf(rules.scaleUp, rules.scaleDown) : null, departures: [] };
  const written = rules.isSet ? rules : closest;
  const behavior = behaviorOf(stopped(written.scaleUp, up), stopped(written.scaleDown, down));
  const isApproximate = !rules.isSet && up.length === 0;
  return { behavior, departures: [...describeStops(stops), ...(isApproximate ? [approximation] : [])] };
}

/** How the HPA of a policy will act otherwise than its decisions while its freezes are in force, in sentences. */
export function departuresInFreezes({ actuation, behavior, freezes }: EffectivePolicy): readonly string[] {
  if (actuation !== 'HorizontalPodAutoscaler') return [];
  const stops = freezes.map(({ name, direction }) => ({ direction, name: `freeze "${name}"` }));
  return [...new Set(stops.flatMap((stop) => renderBehavior(behavior, [stop]).departures))];
}

/**
 * The rules without behavior, as behavior. Up: double, and at least 4. Down: the controller's own window, which
 * autoscaling/v2 leaves open, and no rate. Both have the period of one evaluation.
 */
const closest = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 3, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
} as const satisfies Pick<BehaviorRules, 'scaleUp' | 'scaleDown'>;

const approximation =
  'the policy has no behavior, and a stop needs one: meanwhile scaling up is limited to 3 pods or 100 % within 15 s, whichever is more, instead of to the double or 4 per evaluation, which differs from 2 replicas (5 instead of 4) and from 0 (3 instead of 4)';

function stopped(rules: DirectionRules, by: readonly Stop[]): DirectionRules {
  return by.length === 0 ? rules : { ...rules, selectPolicy: 'Disabled' };
}

function describeStops(stops: readonly Stop[]): readonly string[] {
  const names = stops.map(({ name }) => name).join(', ');
  return [`${names}: the native controller still corrects a count outside minimum and maximum`];
}

function behaviorOf(scaleUp: DirectionRules, scaleDown: DirectionRules): JsonObject {
  return { scaleUp: directionOf(scaleUp), scaleDown: directionOf(scaleDown) };
}

function directionOf({
  stabilizationWindowSeconds,
  selectPolicy,
  policies,
  tolerance,
}: DirectionRules): JsonObject {
  return {
    ...(stabilizationWindowSeconds !== undefined && { stabilizationWindowSeconds }),
    ...(selectPolicy !== undefined && { selectPolicy }),
    ...(policies !== undefined && { policies: policies.map((policy): Json => ({ ...policy })) }),
    ...(tolerance !== undefined && { tolerance: tolerance.text }),
  };
}
