import { isJsonObject, type JsonObject } from '#kernel';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { toNativeDocument } from '../model/native-document.ts';
import { compareDocuments, type FieldChange } from './compare-documents.ts';

/**
 * What changes for a policy, in effective values: every default is filled in, whichever kind of document it is written
 * as, and quantities are compared by value (`500m` is `0.5`). The order of metrics, schedules and rate policies, labels
 * and foreign annotations are no change.
 */
export function comparePolicies(before: EffectivePolicy, after: EffectivePolicy): readonly FieldChange[] {
  return compareDocuments(comparable(before), comparable(after));
}

/** The native form's `spec`, and what a document says beside it. */
function comparable(policy: EffectivePolicy): JsonObject {
  const { spec } = toNativeDocument(policy);
  const own = Object.entries(policy.annotations).filter(([key]) => key.startsWith('plimsoll.dev/'));
  return {
    kind: policy.kind,
    ...(isJsonObject(spec) ? spec : {}),
    // Only a WatermarkPodAutoscaler document can say so.
    ...(policy.sharedSelectorAllowed && { sharedSelectorAllowed: true }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
}
