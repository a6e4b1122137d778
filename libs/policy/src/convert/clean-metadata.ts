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

/** Takes out what no file should hold: `status`, and what a server writes into `metadata`. Says whether there was any. */
export function cleanMetadata(document: YAMLMap): boolean {
  const before = entryCount(document);
  takeWritten(document);
  return entryCount(document) < before;
}

function entryCount(document: YAMLMap): number {
  const metadata = findMap(document, 'metadata');
  const annotations = metadata === undefined ? undefined : findMap(metadata, 'annotations');
  return document.items.length + (metadata?.items.length ?? 0) + (annotations?.items.length ?? 0);
}

function takeWritten(document: YAMLMap): void {
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
