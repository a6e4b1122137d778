import { canonicalJson, isJsonObject, type Json, type JsonObject, parseQuantity, shortText } from '#kernel';
import { type FieldDifference, sha256Hex } from '#ledger';
import { compareDocuments, quantityFields } from '#policy';
import { ownAnnotations, ownLabels, type RenderedHpa } from './render-hpa.ts';

/** What of an HPA Plimsoll decides: its spec, and of its metadata the own labels and annotations and the controller. */
export type ManagedPart = JsonObject;

/** As many differences as a record names; a spec that somebody replaced differs in all of it. */
const maximumDifferences = 20;
/** Characters of a value in a difference: a metric with its selector fits. */
const maximumValueLength = 300;

/** The managed part of what is rendered. */
export function managedPartOf({ labels, annotations, owner, spec }: RenderedHpa): ManagedPart {
  return {
    labels,
    annotations,
    controller: { ...owner, blockOwnerDeletion: true },
    spec: completeSpec(spec),
  };
}

/** The managed part of an HPA as the API server gave it. */
export function managedPartOfObject({ metadata, spec }: JsonObject): ManagedPart {
  const { labels, annotations, ownerReferences } = objectOf(metadata);
  return {
    labels: pick(labels, ownLabels),
    annotations: pick(annotations, ownAnnotations),
    controller: controllerOf(ownerReferences),
    spec: completeSpec(objectOf(spec)),
  };
}

/** Equal for parts that mean the same: quantities by value, metrics in any order. */
export function digestOf(part: JsonObject): string {
  return sha256Hex(canonicalJson(comparable('', part)));
}

const renderedDigests = new WeakMap<RenderedHpa, string>();

/** The digest of the managed part of what is rendered. It is made once: every step of a pass asks for it. */
export function renderedDigestOf(rendered: RenderedHpa): string {
  const known = renderedDigests.get(rendered);
  if (known !== undefined) return known;
  const digest = digestOf(managedPartOf(rendered));
  renderedDigests.set(rendered, digest);
  return digest;
}

/** Of a spec alone: what decides whether an HPA may be adopted as equal. */
export function specDigestOf(spec: JsonObject): string {
  return digestOf({ spec: completeSpec(spec) });
}

/** Field by field what an HPA has and what it should have; at most 20. */
export function differencesOf(found: JsonObject, wanted: JsonObject): readonly FieldDifference[] {
  const changes = compareDocuments(found, wanted);
  return changes.slice(0, maximumDifferences).map(({ path, before, after }) => ({
    field: path,
    found: before === undefined ? null : valueText(before),
    wanted: after === undefined ? null : valueText(after),
  }));
}

/** `spec.maxReplicas 9 → 5, spec.metrics[Resource cpu] removed` */
export function describeDifferences(differences: readonly FieldDifference[]): string {
  return differences.map(describeDifference).join(', ');
}

function describeDifference({ field, found, wanted }: FieldDifference): string {
  if (wanted === null) return `${field} removed (${found ?? ''})`;
  return found === null ? `${field} set to ${wanted}` : `${field} ${found} → ${wanted}`;
}

/**
 * The defaults of autoscaling/v2.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "With behavior"
 */
export function completeSpec(spec: JsonObject): JsonObject {
  const { behavior, metrics, ...rest } = spec;
  return {
    minReplicas: 1,
    ...rest,
    metrics: Array.isArray(metrics) && metrics.length > 0 ? metrics : [defaultMetric],
    ...(isJsonObject(behavior) && { behavior: completeBehavior(behavior) }),
  };
}

const defaultMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
const behaviorDefaults = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent],
  },
  scaleDown: { selectPolicy: 'Max', policies: [percent] },
};

function completeBehavior({ scaleUp, scaleDown }: JsonObject): JsonObject {
  return {
    scaleUp: { ...behaviorDefaults.scaleUp, ...objectOf(scaleUp) },
    scaleDown: { ...behaviorDefaults.scaleDown, ...objectOf(scaleDown) },
  };
}

function controllerOf(references: Json | undefined): JsonObject | null {
  const list: readonly Json[] = Array.isArray(references) ? references : [];
  const controller = list.find((each) => isJsonObject(each) && each['controller'] === true);
  if (!isJsonObject(controller)) return null;
  const { apiVersion = null, kind = null, name = null, uid = null, blockOwnerDeletion = false } = controller;
  return { apiVersion, kind, name, uid, blockOwnerDeletion };
}

/** A form whose canonical text is the same for values that mean the same, with keys in order: else it would be copied. */
function comparable(key: string, value: Json): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => comparable('', item));
    return key === 'metrics' ? items.sort(byText) : items;
  }
  if (!isJsonObject(value)) return quantityFields.has(key) ? exactValue(value) : value;
  const members: (readonly [string, Json])[] = [];
  for (const name of Object.keys(value).sort()) {
    const item = value[name];
    if (item !== undefined && item !== null) members.push([name, comparable(name, item)]);
  }
  return Object.fromEntries(members);
}

function exactValue(value: Json): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const quantity = parseQuantity(value);
  return quantity.ok ? `${quantity.value.mantissa}E${quantity.value.exponent}` : value;
}

function byText(a: Json, b: Json): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}

function valueText(value: Json): string {
  return shortText(typeof value === 'string' ? value : canonicalJson(value), maximumValueLength);
}

function pick(map: Json | undefined, keys: readonly string[]): JsonObject {
  const all = objectOf(map);
  return Object.fromEntries(keys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])));
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
