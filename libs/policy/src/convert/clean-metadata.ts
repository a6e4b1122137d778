import type { YAMLMap } from 'yaml';
import { serverSetFields } from '../rules/server-set-fields.ts';
import { findMap, findPair, keyOf, takePair } from './yaml-nodes.ts';

/** Annotations that a server or a tool writes, and those whose meaning is a field once a document is converted. */
const writtenAnnotations =
  /^(?:kubectl\.kubernetes\.io\/last-applied-configuration$|autoscaling\.alpha\.kubernetes\.io\/)/;
const carriedAnnotations = /^wpa\.datadoghq\.com\/(?:lifecycle-control\.enabled|skip-owner-check)$/;

/** Whether conversion takes an annotation out: a server or a tool writes it, or a field says it now. */
export function isDroppedAnnotation(key: string): boolean {
  return writtenAnnotations.test(key) || carriedAnnotations.test(key);
}

/** Takes out what no file should hold: `status`, and what a server writes into `metadata`. */
export function cleanMetadata(document: YAMLMap): void {
  takePair(document, 'status');
  const metadata = findMap(document, 'metadata');
  if (metadata === undefined) return;
  for (const name of serverSetFields) takePair(metadata, name);
  const annotations = findMap(metadata, 'annotations');
  if (annotations === undefined) return;
  annotations.items = annotations.items.filter((pair) => !isDroppedAnnotation(keyOf(pair)));
  if (annotations.items.every((pair) => findPair(annotations, keyOf(pair)) === undefined))
    takePair(metadata, 'annotations');
}
