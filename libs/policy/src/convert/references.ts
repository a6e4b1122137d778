import { type Alias, type Document, isAlias, isMap, isNode, type Node, visit, type YAMLMap } from 'yaml';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { serverSetFields } from '../rules/server-set-fields.ts';
import { isDroppedAnnotation } from './clean-metadata.ts';
import { findMap, findPair, keyOf, textOf } from './yaml-nodes.ts';

/**
 * Whether all that conversion changes of a document stands in its place: no anchor, alias or merge key says it, or lets
 * something else say the same.
 */
export function isWrittenOut(document: YAMLMap, policy: EffectivePolicy): boolean {
  const metadata = valueOf(document, 'metadata');
  const annotations = isMap(metadata) ? valueOf(metadata, 'annotations') : undefined;
  const spec = valueOf(document, 'spec');
  const dropped = isMap(annotations)
    ? annotations.items.filter((pair) => isDroppedAnnotation(keyOf(pair))).map(({ value }) => value)
    : [];
  const changed = [
    ...['apiVersion', 'kind', 'status'].map((name) => valueOf(document, name)),
    ...(isMap(metadata) ? [...serverSetFields].map((name) => valueOf(metadata, name)) : []),
    ...dropped,
    ...changedInSpec(document, policy),
  ];
  return (
    [document, metadata, annotations, spec].every(isOwnMap) &&
    changed.every((node) => !isNode(node) || !hasReferences(node))
  );
}

function changedInSpec(document: YAMLMap, { kind }: EffectivePolicy): readonly unknown[] {
  const spec = findMap(document, 'spec');
  if (spec === undefined || kind === 'WatermarkPodAutoscaler') return [spec];
  const isBeta = textOf(valueOf(document, 'apiVersion')) === 'autoscaling/v2beta1';
  const fields = ['targetCPUUtilizationPercentage', 'behavior', ...(isBeta ? ['metrics'] : [])];
  return fields.map((name) => valueOf(spec, name));
}

function valueOf(map: YAMLMap, name: string): unknown {
  return findPair(map, name)?.value;
}

/** A map whose entries all stand in it, and nowhere else; what is absent is one, too. */
function isOwnMap(node: unknown): boolean {
  if (node === undefined || node === null) return true;
  return isMap(node) && node.anchor === undefined && !node.items.some((pair) => keyOf(pair) === '<<');
}

/** Whether anchors, aliases or merge keys stand below a node: fields cannot be moved between them. */
export function hasReferences(root: Node): boolean {
  let isFound = false;
  visit(root, {
    Node: (_key, node) => {
      if (isAlias(node) || node.anchor !== undefined) isFound = true;
    },
    Pair: (_key, pair) => {
      if (keyOf(pair) === '<<') isFound = true;
    },
  });
  return isFound;
}

/** An alias of a document that no anchor comes before any more. */
export function findDanglingAlias({ contents }: Document): Alias | undefined {
  const anchors = new Set<string>();
  let dangling: Alias | undefined;
  if (contents === null) return undefined;
  visit(contents, {
    Node: (_key, node) => {
      if (isAlias(node)) dangling ??= anchors.has(node.source) ? undefined : node;
      else if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return dangling;
}
