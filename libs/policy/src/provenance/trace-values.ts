import type { Json, JsonObject } from '#kernel';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { toNativeDocument } from '../model/native-document.ts';
import { leafValues, valueAt, type ValuePath } from './leaf-values.ts';
import { writtenPaths } from './written-paths.ts';

/** One value of a policy's effective `spec`, and where it comes from. */
export interface TracedValue {
  /** In the native form, from its root: `['spec', 'minReplicas']`. */
  readonly path: ValuePath;
  readonly value: Json;
  readonly origin: TracedOrigin;
}

/**
 * Written: where the document, defaults applied, has it, and how it is spelled there. `UpstreamDefault`: nothing writes
 * it, and the HorizontalPodAutoscaler or the WatermarkPodAutoscaler has this default. `PlimsollDefault`: it is a field
 * that neither of them has.
 */
export type TracedOrigin =
  | { readonly kind: 'Written'; readonly path: ValuePath; readonly value: Json }
  | { readonly kind: 'UpstreamDefault' | 'PlimsollDefault' };

/** Every value of a policy's effective `spec`, with where each comes from. */
export function traceValues(policy: EffectivePolicy, document: JsonObject): readonly TracedValue[] {
  const { spec = {} } = toNativeDocument(policy);
  return leafValues(spec, ['spec']).map(({ path, value }) => ({
    path,
    value,
    origin: originOf(path, policy, document),
  }));
}

function originOf(path: ValuePath, policy: EffectivePolicy, document: JsonObject): TracedOrigin {
  for (const place of writtenPaths(path, policy, document)) {
    const value = valueAt(document, place);
    if (value !== undefined) return { kind: 'Written', path: place, value };
  }
  return { kind: ownTo(policy).has(String(path[1])) ? 'PlimsollDefault' : 'UpstreamDefault' };
}

const ownFields: ReadonlySet<string> = new Set([
  'actuation',
  'dryRun',
  'enabled',
  'interval',
  'selectionStrategy',
]);
/** A WatermarkPodAutoscaler has a dry run and the check of owners, too. */
const ownBesideWatermark: ReadonlySet<string> = ownFields.difference(
  new Set(['dryRun', 'selectionStrategy']),
);

function ownTo({ kind }: EffectivePolicy): ReadonlySet<string> {
  return kind === 'WatermarkPodAutoscaler' ? ownBesideWatermark : ownFields;
}
