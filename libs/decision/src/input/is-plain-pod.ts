import { parseInstant } from '#kernel';
import { isRecord } from './check.ts';

/**
 * A quick check that accepts the pods that usually occur. A value it does not accept may still be a valid pod: the
 * complete check decides.
 */
export function isPlainPod(value: unknown): boolean {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  const { uid, phase, ready, labels, ownerReferences, resources } = value;
  if (!isTextOrAbsent(uid) || !isTextOrAbsent(phase) || !isAbsent(resources)) return false;
  if (!hasPlainTimes(value) || !isPlainReady(ready)) return false;
  return isPlainLabels(labels) && isPlainReferences(ownerReferences) && hasPlainContainers(value);
}

function hasPlainTimes({ startTime, deletionTimestamp }: Readonly<Record<string, unknown>>): boolean {
  return isTimeOrAbsent(startTime) && isTimeOrAbsent(deletionTimestamp);
}

function hasPlainContainers({ containers, initContainers }: Readonly<Record<string, unknown>>): boolean {
  return arePlainContainers(containers) && arePlainContainers(initContainers);
}

/** As {@link isPlainPod}, for a sample. */
export function isPlainSample(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { pod, timestamp, windowSeconds, value: single, containers } = value;
  if (typeof pod !== 'string' || !isTimeOrAbsent(timestamp)) return false;
  if (!isAbsent(windowSeconds) && !Number.isSafeInteger(windowSeconds)) return false;
  if (!isAbsent(single) && !isQuantity(single)) return false;
  if (isAbsent(containers)) return true;
  if (!Array.isArray(containers)) return false;
  const items: readonly unknown[] = containers;
  return items.every(
    (item) => isRecord(item) && isTextOrAbsent(item['name']) && arePlainQuantities(item['usage']),
  );
}

function isPlainReady(value: unknown): boolean {
  if (isAbsent(value)) return true;
  return isRecord(value) && isTextOrAbsent(value['status']) && isTimeOrAbsent(value['lastTransitionTime']);
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
  if (!isRecord(value)) return false;
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
      isRecord(item) &&
      isTextOrAbsent(item['name']) &&
      isTextOrAbsent(item['restartPolicy']) &&
      arePlainQuantities(item['requests']),
  );
}

function arePlainQuantities(value: unknown): boolean {
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
