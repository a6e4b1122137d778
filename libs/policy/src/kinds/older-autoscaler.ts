import type { EffectivePolicy } from '../model/effective-policy.ts';
import type { Fields } from '../reading/fields.ts';
import { readHorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import type { ReadContext } from './read-context.ts';

/** Reads an HPA of v1, v2beta1, v2beta2. */
export function readOlderAutoscaler(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  return readHorizontalPodAutoscaler(document, context);
}
