import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { isVersionManager, plimsollManager } from '../ports/field-manager.ts';
import type {
  NativeAutoscaler,
  NativeAutoscalerStatus,
  NativeMetricValue,
} from '../ports/native-autoscalers.port.ts';
import { digestOf, managedPartOfObject, specDigestOf } from './managed-part.ts';
import { managedByLabel, policyAnnotation, untilAnnotation } from './render-hpa.ts';

/** More conditions or metrics than this are not kept of an HPA's status; the native controller writes three conditions. */
const maximumStatusItems = 64;

/** An `autoscaling/v2` object → what is kept of it; the selector of its target is another's to say. */
export function readNativeAutoscaler(document: JsonObject): Omit<NativeAutoscaler, 'selector'> {
  const metadata = objectOf(document['metadata']);
  const spec = objectOf(document['spec']);
  const annotations = objectOf(metadata['annotations']);
  const writers = writersOf(metadata, '');
  const policy = textOrNull(annotations[policyAnnotation]);
  const isWrittenByPlimsoll = isPlimsollAmong(writers, metadata);
  const terminatingSince =
    typeof metadata['deletionTimestamp'] === 'string' ? metadata['deletionTimestamp'] : null;
  const isOurs = policy !== null && isWrittenByPlimsoll;
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    resourceVersion: textOf(metadata['resourceVersion']),
    target: targetOf(objectOf(spec['scaleTargetRef'])),
    manager: latest(writers.filter(({ ownsSpec }) => ownsSpec)),
    editor: latest(
      writers.filter(({ manager }) => manager !== plimsollManager && !isVersionManager(manager)),
    ),
    statusManager: latest(writersOf(metadata, 'status')),
    policy,
    until: textOrNull(annotations[untilAnnotation]),
    isWrittenByPlimsoll,
    terminatingSince,
    finalizers: terminatingSince !== null ? textsOf(metadata['finalizers']) : [],
    ownerUid: ownerUidOf(metadata),
    digest: digestOf(managedPartOfObject(document)),
    specDigest: specDigestOf(spec),
    status: isOurs ? statusOf(objectOf(document['status'])) : null,
  };
}

/** Anybody may clear managedFields. What then names nobody is of whom its label says. */
function isPlimsollAmong(writers: readonly Writer[], { labels }: JsonObject): boolean {
  if (writers.length === 0) return objectOf(labels)[managedByLabel] === plimsollManager;
  return writers.some(({ manager }) => manager === plimsollManager);
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

interface Writer {
  readonly manager: string;
  readonly time: string;
  readonly ownsSpec: boolean;
}

/** The managers of the object itself (subresource ''), or of its status. */
function writersOf(metadata: JsonObject, of: '' | 'status'): readonly Writer[] {
  return listOf(metadata['managedFields'])
    .filter(({ subresource }) => textOf(subresource) === of)
    .map(({ manager, time, fieldsV1 }) => ({
      manager: textOf(manager),
      time: textOf(time),
      ownsSpec: 'f:spec' in objectOf(fieldsV1),
    }));
}

function latest(writers: readonly Writer[]): string | null {
  let last: Writer | null = null;
  for (const writer of writers) if (last === null || writer.time >= last.time) last = writer;
  return last?.manager ?? null;
}

function targetOf({ apiVersion, kind, name }: JsonObject): NativeAutoscaler['target'] {
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(name) };
}

function ownerUidOf({ ownerReferences }: JsonObject): string | null {
  const controller = listOf(ownerReferences).find((reference) => reference['controller'] === true);
  return controller === undefined ? null : textOf(controller['uid']);
}

/** Before the native controller has written it there are no conditions. */
function statusOf(status: JsonObject): NativeAutoscalerStatus | null {
  const conditions = listOf(status['conditions']).slice(0, maximumStatusItems);
  if (conditions.length === 0) return null;
  return {
    currentReplicas: countOf(status['currentReplicas']),
    desiredReplicas: countOf(status['desiredReplicas']),
    conditions: conditions.map(conditionOf),
    metrics: listOf(status['currentMetrics']).slice(0, maximumStatusItems).flatMap(metricOf),
  };
}

function conditionOf({
  type,
  status,
  reason,
  message,
}: JsonObject): NativeAutoscalerStatus['conditions'][number] {
  const isFalse = status === 'False';
  return {
    type: textOf(type),
    status: textOf(status),
    reason: textOf(reason),
    message: isFalse ? textOf(message) : '',
  };
}

/** A metric that failed is an empty entry. */
function metricOf(metric: JsonObject): readonly NativeMetricValue[] {
  const type = textOf(metric['type']);
  const source = Object.values(metric).find(isJsonObject);
  if (type === '' || source === undefined) return [];
  const { averageUtilization, averageValue, value } = objectOf(source['current']);
  const name = textOf(source['name']) || textOf(objectOf(source['metric'])['name']);
  const container = textOf(source['container']);
  return [
    {
      type,
      name: container === '' ? name : `${container}/${name}`,
      ...(typeof averageUtilization === 'number' && { averageUtilization }),
      ...(averageValue !== undefined && { averageValue: quantityText(averageValue) }),
      ...(value !== undefined && { value: quantityText(value) }),
    },
  ];
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return list.filter((item) => isJsonObject(item));
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function quantityText(value: Json): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

function countOf(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
