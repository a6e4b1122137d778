import type { Json } from '#kernel';
import { type KubeObject, listAt, textAt } from './kube-object.ts';

/** Whether a pod still counts: neither on its way out nor at its end. */
export function isActive(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Whether a pod's Ready condition is true. */
export function isReady(pod: KubeObject): boolean {
  const conditions = listAt(pod, 'status', 'conditions');
  return conditions.some((condition) => textAt(condition, 'type') === 'Ready' && isTrue(condition));
}

function isTrue(condition: Json): boolean {
  return textAt(condition, 'status') === 'True';
}
