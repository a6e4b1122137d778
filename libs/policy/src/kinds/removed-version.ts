import { stringify } from 'yaml';
import { isJsonObject, type JsonObject } from '#kernel';

/**
 * The `autoscaling/v2` form of an `extensions/v1beta1` HorizontalPodAutoscaler, as YAML to paste: what follows from
 * its fields, whether valid or not.
 */
export function removedVersionAsV2(value: unknown): string {
  const document = isJsonObject(value) ? value : {};
  const spec = isJsonObject(document['spec']) ? document['spec'] : {};
  const metadata = document['metadata'] ?? {};
  const v2 = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: specAsV2(spec),
  };
  return stringify(v2, writing);
}

const writing = { lineWidth: 110, aliasDuplicateObjects: false } as const;

function specAsV2(spec: JsonObject): JsonObject {
  const { scaleRef, scaleTargetRef, cpuUtilization, targetCPUUtilizationPercentage, ...rest } = spec;
  const nested = isJsonObject(cpuUtilization) ? cpuUtilization['targetPercentage'] : undefined;
  const percent = targetCPUUtilizationPercentage ?? nested ?? 80;
  const target = { type: 'Utilization', averageUtilization: percent };
  return {
    scaleTargetRef: targetReference(scaleTargetRef ?? scaleRef),
    ...rest,
    metrics: rest['metrics'] ?? [{ type: 'Resource', resource: { name: 'cpu', target } }],
  };
}

/** A Deployment of that time was of extensions/v1beta1, which is gone as well. */
function targetReference(value: unknown): JsonObject {
  const { kind = 'Deployment', name = '', apiVersion } = isJsonObject(value) ? value : {};
  const isGone = typeof apiVersion !== 'string' || apiVersion.startsWith('extensions/');
  return { apiVersion: isGone ? 'apps/v1' : apiVersion, kind, name };
}
