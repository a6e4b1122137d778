import { isMap, isScalar, type YAMLMap, YAMLSeq } from 'yaml';
import type { Json } from '#kernel';
import type { DirectionRules } from '../model/behavior.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { metricDocument } from '../model/native-document.ts';
import { convertOlderMetrics } from './convert-metrics.ts';
import { findMap, findPair, insertAfter, pairOf, setValue, takePair, textOf, toNode } from './yaml-nodes.ts';

/** What a document is written as. */
export type ConversionTarget = 'AutoscalingPolicy' | 'autoscaling/v2';

const nativeVersion = 'plimsoll.dev/v1alpha1';
const percentField = 'targetCPUUtilizationPercentage';

/** Gives a document its new apiVersion and kind. */
export function setKind(document: YAMLMap, to: ConversionTarget): void {
  const isNative = to === 'AutoscalingPolicy';
  const [apiVersion, kind] = [findPair(document, 'apiVersion'), findPair(document, 'kind')];
  if (apiVersion !== undefined) setValue(apiVersion, isNative ? nativeVersion : to);
  if (kind !== undefined && isNative) setValue(kind, to);
}

/** Rewrites a HorizontalPodAutoscaler of any version, in place. */
export function convertAutoscaler(document: YAMLMap, policy: EffectivePolicy, to: ConversionTarget): void {
  const version = textOf(findPair(document, 'apiVersion')?.value);
  setKind(document, to);
  const spec = findMap(document, 'spec');
  if (spec === undefined) return;
  if (version === 'autoscaling/v2beta1') convertOlderMetrics(spec, policy.metrics);
  if (version === 'autoscaling/v1') convertV1(spec, policy);
  if (to !== 'AutoscalingPolicy') return;
  insertAfter(spec, 'scaleTargetRef', [pairOf('actuation', toNode('HorizontalPodAutoscaler'))]);
  if (policy.behavior.isSet) keepBehaviorSet(spec);
}

/** What v1 keeps in annotations and in a field of its own; the CPU target is the last metric. */
function convertV1(spec: YAMLMap, policy: EffectivePolicy): void {
  const percent = takePair(spec, percentField);
  const { metrics, behavior } = policy;
  const isDefault = percent === undefined && metrics.length === 1 && isDefaultCpu(policy);
  if (!isDefault) {
    const list = new YAMLSeq();
    list.items.push(...metrics.map((metric) => toNode(metricDocument(metric))));
    const pair = pairOf('metrics', list);
    const last = list.items.at(-1);
    if (percent !== undefined && isScalar(percent.key) && isMap(last)) {
      if (isScalar(pair.key)) pair.key.commentBefore = percent.key.commentBefore ?? null;
      last.setIn(['resource', 'target', 'averageUtilization'], percent.value);
    }
    spec.items.push(pair);
  }
  if (behavior.isSet) {
    const directions = { scaleUp: direction(behavior.scaleUp), scaleDown: direction(behavior.scaleDown) };
    spec.items.push(pairOf('behavior', toNode(directions)));
  }
}

function isDefaultCpu({ metrics: [metric] }: EffectivePolicy): boolean {
  const target = metric?.target;
  return metric?.type === 'Resource' && target?.type === 'Utilization' && target.averageUtilization === 80;
}

function direction({ tolerance, policies, ...rules }: DirectionRules): Json {
  const { stabilizationWindowSeconds, selectPolicy } = rules;
  return {
    ...(stabilizationWindowSeconds !== undefined && { stabilizationWindowSeconds }),
    ...(selectPolicy !== undefined && { selectPolicy }),
    ...(policies !== undefined && { policies: policies.map((each): Json => ({ ...each })) }),
    ...(tolerance !== undefined && { tolerance: tolerance.text }),
  };
}

/** A behaviour that is there and says nothing counts as set in an HPA; in the native kind one of its fields must be. */
function keepBehaviorSet(spec: YAMLMap): void {
  const behavior = findMap(spec, 'behavior');
  if (behavior === undefined) return;
  const directions = ['scaleUp', 'scaleDown'].map((name) => findMap(behavior, name));
  if (directions.some((map) => map?.items.some((pair) => findPair(map, textOf(pair.key)) !== undefined)))
    return;
  takePair(behavior, 'scaleUp');
  behavior.items.push(pairOf('scaleUp', toNode({ selectPolicy: 'Max' })));
}
