import { isMap, isNode, isScalar, visit, type Document, type Pair, type YAMLMap } from 'yaml';
import type { Json } from '#kernel';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { metricDocument } from '../native-document.ts';

/** What a document is written as. */
export type ConversionTarget = 'AutoscalingPolicy' | 'autoscaling/v2';

/** What conversion needs to know beside the YAML. */
export interface Conversion {
  /** What the document means. */
  readonly policy: EffectivePolicy;
  readonly to: ConversionTarget;
}

const nativeVersion = 'plimsoll.dev/v1alpha1';
const serverSet = ['creationTimestamp', 'generation', 'resourceVersion', 'selfLink', 'uid', 'managedFields'];
const alphaPrefix = 'autoscaling.alpha.kubernetes.io/';

/**
 * Rewrites a HorizontalPodAutoscaler or WatermarkPodAutoscaler in place, so that comments stay where their field stays.
 * Returns what could not be carried, a sentence each.
 */
export function convertDocument(document: Document, conversion: Conversion): readonly string[] {
  const notes = dropServerFields(document);
  const version = String(document.get('apiVersion'));
  const { policy, to } = conversion;
  if (policy.kind === 'WatermarkPodAutoscaler') return [...notes, ...convertWatermark(document, policy)];
  notes.push(...modernize(document, policy, version));
  if (to === 'AutoscalingPolicy') notes.push(...nativize(document, policy));
  return notes;
}

function dropServerFields(document: Document): string[] {
  const notes: string[] = [];
  if (document.has('status')) {
    document.delete('status');
    notes.push('status is dropped: a server writes it');
  }
  for (const name of serverSet) if (document.hasIn(['metadata', name])) document.deleteIn(['metadata', name]);
  return notes;
}

/** Older versions to autoscaling/v2. */
function modernize(document: Document, policy: EffectivePolicy, version: string): readonly string[] {
  document.set('apiVersion', 'autoscaling/v2');
  if (version === 'autoscaling/v2' || version === 'autoscaling/v2beta2') return [];
  const notes = document.hasIn(['spec', 'metrics']) ? ['comments inside metrics are lost'] : [];
  document.setIn(['spec', 'metrics'], document.createNode(policy.metrics.map(metricDocument)));
  document.deleteIn(['spec', 'targetCPUUtilizationPercentage']);
  if (policy.behavior.isSet) document.setIn(['spec', 'behavior'], document.createNode(behaviorOf(policy)));
  dropAnnotations(document, (key) => key.startsWith(alphaPrefix));
  return notes;
}

function behaviorOf({ behavior }: EffectivePolicy): Json {
  const { scaleUp, scaleDown } = behavior;
  const plain = ({
    tolerance,
    policies,
    selectPolicy,
    stabilizationWindowSeconds,
  }: typeof scaleUp): Json => ({
    ...(stabilizationWindowSeconds !== undefined && { stabilizationWindowSeconds }),
    ...(selectPolicy !== undefined && { selectPolicy }),
    ...(policies !== undefined && { policies: policies.map((each): Json => ({ ...each })) }),
    ...(tolerance !== undefined && { tolerance: tolerance.text }),
  });
  return { scaleUp: plain(scaleUp), scaleDown: plain(scaleDown) };
}

function dropAnnotations(document: Document, isDropped: (key: string) => boolean): void {
  const annotations = document.getIn(['metadata', 'annotations']);
  if (!isMap(annotations)) return;
  annotations.items = annotations.items.filter(({ key }) => !isDropped(keyText(key)));
  if (annotations.items.length === 0) document.deleteIn(['metadata', 'annotations']);
}

/** autoscaling/v2 to the native kind, whose fields are v2's. */
function nativize(document: Document, policy: EffectivePolicy): readonly string[] {
  document.set('apiVersion', nativeVersion);
  document.set('kind', 'AutoscalingPolicy');
  insertAfter(document, 'scaleTargetRef', { actuation: 'HorizontalPodAutoscaler' });
  if (policy.behavior.isSet) return [];
  return [
    'without behavior an AutoscalingPolicy is rendered with scaleDown.stabilizationWindowSeconds: 300, ' +
      'which gives the HPA the rules of a set behavior (up at most 4 pods or 100 % in 15 s)',
  ];
}

function insertAfter(document: Document, field: string, added: Readonly<Record<string, Json>>): void {
  const spec = document.get('spec');
  if (!isMap(spec)) return;
  const at = spec.items.findIndex(({ key }) => keyText(key) === field);
  const pairs = Object.entries(added).map(([key, value]) => document.createPair(key, value));
  spec.items.splice(at + 1, 0, ...pairs);
}

/** Fields of a WatermarkPodAutoscaler that only have another name here. */
const renamed: Readonly<Record<string, string>> = {
  replicaScalingAbsoluteModulo: 'replicaStep',
  minAvailableReplicaPercentage: 'minAvailablePercent',
};
/** Fields that move below `behavior`. */
const moved: Readonly<Record<string, readonly ['scaleUp' | 'scaleDown', string]>> = {
  scaleUpLimitFactor: ['scaleUp', 'limitPercent'],
  scaleDownLimitFactor: ['scaleDown', 'limitPercent'],
  upscaleForbiddenWindowSeconds: ['scaleUp', 'forbiddenWindowSeconds'],
  downscaleForbiddenWindowSeconds: ['scaleDown', 'forbiddenWindowSeconds'],
  upscaleDelayAboveWatermarkSeconds: ['scaleUp', 'delaySeconds'],
  downscaleDelayBelowWatermarkSeconds: ['scaleDown', 'delaySeconds'],
};
/** Fields whose value goes elsewhere. */
const replaced = new Set(['algorithm', 'tolerance', 'convergeTowardsWatermark', 'metrics', 'minReplicas']);

function convertWatermark(document: Document, policy: EffectivePolicy): readonly string[] {
  const notes = watermarkNotes(document, policy);
  document.set('apiVersion', nativeVersion);
  document.set('kind', 'AutoscalingPolicy');
  const spec = document.get('spec');
  if (!isMap(spec)) return notes;
  const old = spec.items;
  spec.items = old.flatMap((pair) => renamedPair(pair));
  moveBehavior(document, old);
  insertAfter(document, 'scaleTargetRef', {
    actuation: 'Scale',
    selectionStrategy: policy.selectionStrategy,
    minReplicas: policy.minReplicas,
  });
  if (policy.recommender === undefined)
    document.setIn(['spec', 'metrics'], document.createNode(policy.metrics.map(metricDocument)));
  if (policy.convergeTowards !== undefined)
    document.setIn(['spec', 'convergeTowards'], policy.convergeTowards);
  if (policy.lifecycle !== undefined)
    document.setIn(['spec', 'lifecycle'], document.createNode({ blockedBy: { ...policy.lifecycle } }));
  dropAnnotations(document, (key) => key.startsWith('wpa.datadoghq.com/'));
  return notes;
}

function watermarkNotes(document: Document, policy: EffectivePolicy): string[] {
  const notes: string[] = [];
  if (policy.sharedSelectorAllowed)
    notes.push(
      'skip-owner-check also allowed a selector that other policies share; an AutoscalingPolicy holds then (AmbiguousSelector)',
    );
  if (policy.metrics.some(({ type }) => type === 'Resource'))
    notes.push("a Resource metric's metricSelector is dropped: samples are matched to the target's pods");
  if (hasComments(document.getIn(['spec', 'metrics']))) notes.push('comments inside metrics are lost');
  const attributes = document.getIn(['metadata', 'annotations', 'wpa.datadoghq.com/logs-attributes']);
  if (attributes !== undefined) notes.push('the annotation logs-attributes is dropped');
  return notes;
}

/** Whether anything below a node has a comment. */
function hasComments(node: unknown): boolean {
  let isFound = false;
  const look = (_key: unknown, each: { comment?: string | null; commentBefore?: string | null }): void => {
    isFound ||= typeof each.comment === 'string' || typeof each.commentBefore === 'string';
  };
  if (isNode(node)) visit(node, { Node: look });
  return isFound;
}

function renamedPair(pair: Pair): readonly Pair[] {
  const name = keyText(pair.key);
  if (replaced.has(name) || moved[name] !== undefined) return [];
  const next = renamed[name];
  if (next !== undefined && isScalar(pair.key)) pair.key.value = next;
  return [pair];
}

/** Velocity and windows, each with its comment, below `behavior`; a window of 0 is the default and left out. */
function moveBehavior(document: Document, old: readonly Pair[]): void {
  for (const pair of old) {
    const place = moved[keyText(pair.key)];
    const isDefaultWindow =
      place?.[1] === 'forbiddenWindowSeconds' && isScalar(pair.value) && pair.value.value === 0;
    if (place === undefined || isDefaultWindow) continue;
    const [direction, name] = place;
    if (isScalar(pair.key)) pair.key.value = name;
    if (!document.hasIn(['spec', 'behavior', direction]))
      document.setIn(['spec', 'behavior', direction], document.createNode({}));
    const into = document.getIn(['spec', 'behavior', direction]);
    if (isMap(into)) addPair(into, pair);
  }
}

function addPair(map: YAMLMap, pair: Pair): void {
  map.items.push(pair);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}
