import { parseInstant } from '#kernel';
import type { ObservedPod, PodSample, ResourceQuantities } from '../model/observation.ts';
import { isRecord } from './check.ts';

/**
 * Whether a value surely is a well-formed pod. It says yes to the pods that occur and may say no to others: the
 * complete check has the last word, this one is for the many that need none.
 */
export function isPlainPod(value: unknown): boolean {
  if (!isCandidate<ObservedPod>(value)) return false;
  const { name, uid, phase, startTime, deletionTimestamp, ready, labels, ownerReferences, resources } = value;
  if (typeof name !== 'string' || !isTextOrAbsent(uid) || !isTextOrAbsent(phase)) return false;
  if (!isTimeOrAbsent(startTime) || !isTimeOrAbsent(deletionTimestamp) || !isAbsent(resources)) return false;
  return (
    isPlainReady(ready) &&
    isPlainLabels(labels) &&
    isPlainReferences(ownerReferences) &&
    arePlainContainers(value.containers) &&
    arePlainContainers(value.initContainers)
  );
}

/** As {@link isPlainPod}, for a sample. */
export function isPlainSample(value: unknown): boolean {
  if (!isCandidate<PodSample>(value)) return false;
  const { pod, timestamp, windowSeconds, value: single, containers } = value;
  if (typeof pod !== 'string' || !isTimeOrAbsent(timestamp)) return false;
  if (!isAbsent(windowSeconds) && !Number.isSafeInteger(windowSeconds)) return false;
  if (!isAbsent(single) && !isQuantity(single)) return false;
  if (isAbsent(containers)) return true;
  if (!Array.isArray(containers)) return false;
  const items: readonly unknown[] = containers;
  return items.every(
    (item) =>
      isCandidate<{ name: unknown; usage: unknown }>(item) &&
      isTextOrAbsent(item.name) &&
      arePlainQuantities(item.usage),
  );
}

/** An object whose fields are still unknown, although their names are. */
function isCandidate<T extends object>(value: unknown): value is { readonly [K in keyof T]: unknown } {
  return isRecord(value);
}

function isPlainReady(value: unknown): boolean {
  if (isAbsent(value)) return true;
  return (
    isCandidate<{ status: unknown; lastTransitionTime: unknown }>(value) &&
    isTextOrAbsent(value.status) &&
    isTimeOrAbsent(value.lastTransitionTime)
  );
}

function isPlainLabels(value: unknown): boolean {
  if (isAbsent(value)) return true;
  if (!isRecord(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') return false;
  return true;
}

function isPlainReferences(value: unknown): boolean {
  if (isAbsent(value)) return true;
  if (!Array.isArray(value)) return false;
  const items: readonly unknown[] = value;
  return items.every(isPlainReference);
}

function isPlainReference(value: unknown): boolean {
  if (!isCandidate<Record<'apiVersion' | 'kind' | 'name' | 'uid' | 'controller', unknown>>(value))
    return false;
  const { apiVersion, kind, name, uid, controller } = value;
  if (!isAbsent(controller) && typeof controller !== 'boolean') return false;
  return isTextOrAbsent(apiVersion) && isTextOrAbsent(kind) && isTextOrAbsent(name) && isTextOrAbsent(uid);
}

function arePlainContainers(value: unknown): boolean {
  if (isAbsent(value)) return true;
  if (!Array.isArray(value)) return false;
  const items: readonly unknown[] = value;
  return items.every(
    (item) =>
      isCandidate<Record<'name' | 'restartPolicy' | 'requests', unknown>>(item) &&
      isTextOrAbsent(item.name) &&
      isTextOrAbsent(item.restartPolicy) &&
      arePlainQuantities(item.requests),
  );
}

function arePlainQuantities(value: unknown): value is ResourceQuantities {
  if (isAbsent(value)) return true;
  if (!isRecord(value)) return false;
  for (const key in value) if (!isQuantity(value[key])) return false;
  return true;
}

function isQuantity(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === 'string' || isAbsent(value);
}

function isTimeOrAbsent(value: unknown): boolean {
  return isAbsent(value) || (typeof value === 'string' && parseInstant(value) !== undefined);
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}
