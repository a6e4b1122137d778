import { isScalar, type Pair, YAMLMap } from 'yaml';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { setKind } from './convert-autoscaler.ts';
import { convertWatermarkMetrics, type WatermarkLoss } from './convert-metrics.ts';
import {
  dropNulls,
  findMap,
  findPair,
  hasComments,
  insertAfter,
  keyOf,
  pairOf,
  renamePair,
  setValue,
  takePair,
  textOf,
  toNode,
} from './yaml-nodes.ts';

/** Fields that only have another name. */
const renamed = {
  replicaScalingAbsoluteModulo: 'replicaStep',
  minAvailableReplicaPercentage: 'minAvailablePercent',
} as const;

/** Fields that stand below `behavior`. */
const moved = {
  scaleUp: {
    scaleUpLimitFactor: 'limitPercent',
    upscaleForbiddenWindowSeconds: 'forbiddenWindowSeconds',
    upscaleDelayAboveWatermarkSeconds: 'delaySeconds',
  },
  scaleDown: {
    scaleDownLimitFactor: 'limitPercent',
    downscaleForbiddenWindowSeconds: 'forbiddenWindowSeconds',
    downscaleDelayBelowWatermarkSeconds: 'delaySeconds',
  },
} as const;

/** Rewrites a WatermarkPodAutoscaler as the native kind, in place, and says what has no place there. */
export function convertWatermark(document: YAMLMap, policy: EffectivePolicy): readonly WatermarkLoss[] {
  setKind(document, 'AutoscalingPolicy');
  const spec = findMap(document, 'spec');
  if (spec === undefined) return [];
  const shared = takeShared(spec);
  const losses = [
    ...lostShared(shared, policy),
    ...convertWatermarkMetrics(spec, policy.metrics, shared.filter(hasOwnComments)),
  ];
  dropNulls(findMap(findMap(spec, 'recommender') ?? spec, 'settings'));
  for (const [name, next] of Object.entries(renamed)) {
    const pair = findPair(spec, name);
    if (pair !== undefined) renamePair(pair, next);
  }
  const minimum = findPair(spec, 'minReplicas');
  if (minimum !== undefined) setValue(minimum, policy.minReplicas);
  const available = findPair(spec, 'minAvailablePercent');
  if (available !== undefined) setValue(available, policy.minAvailablePercent);
  losses.push(...convertConvergence(spec, policy));
  insertAfter(spec, 'scaleTargetRef', [
    pairOf('actuation', toNode('Scale')),
    pairOf('selectionStrategy', toNode(policy.selectionStrategy)),
  ]);
  const behavior = takeBehavior(spec);
  if (behavior.items.length > 0) spec.items.push(pairOf('behavior', behavior));
  if (policy.lifecycle !== undefined)
    spec.items.push(pairOf('lifecycle', toNode({ blockedBy: { ...policy.lifecycle } })));
  return losses;
}

/** Takes out the fields that hold for all metrics, and that go to each one's target. */
function takeShared(spec: YAMLMap): readonly Pair[] {
  return ['algorithm', 'tolerance'].map((name) => takePair(spec, name)).filter((pair) => pair !== undefined);
}

function hasOwnComments({ key, value }: Pair): boolean {
  return [key, value].some((node) => isScalar(node) && hasComments(node));
}

/** A recommender has neither. */
function lostShared(shared: readonly Pair[], { recommender }: EffectivePolicy): readonly WatermarkLoss[] {
  if (recommender === undefined) return [];
  return shared.map(keyOf).map((name) => ({
    path: ['spec', name],
    message: `${name} is dropped: with a recommender nothing reads it`,
  }));
}

function convertConvergence(spec: YAMLMap, { convergeTowards }: EffectivePolicy): readonly WatermarkLoss[] {
  const pair = findPair(spec, 'convergeTowardsWatermark');
  if (pair === undefined) return [];
  if (convergeTowards !== undefined) {
    setValue(renamePair(pair, 'convergeTowards'), convergeTowards);
    return [];
  }
  const text = textOf(pair.value);
  takePair(spec, 'convergeTowardsWatermark');
  if (text === '') return [];
  const message = `convergeTowardsWatermark is dropped: ${JSON.stringify(text)} means nothing`;
  return [{ path: ['spec', 'convergeTowardsWatermark'], message }];
}

/** Velocity, windows and delays, each with its comments; a window of 0 is the default, and left out. */
function takeBehavior(spec: YAMLMap): YAMLMap {
  const behavior = new YAMLMap();
  for (const [direction, fields] of Object.entries(moved)) {
    const rules = new YAMLMap();
    for (const [name, next] of Object.entries(fields)) {
      const pair = takePair(spec, name);
      if (pair !== undefined && !(next === 'forbiddenWindowSeconds' && isZero(pair)))
        rules.items.push(renamePair(pair, next));
    }
    if (rules.items.length > 0) behavior.items.push(pairOf(direction, rules));
  }
  return behavior;
}

function isZero({ value }: Pair): boolean {
  return isScalar(value) && Number(value.value) === 0;
}
