import type { Problem } from '#policy';
import type { Departures } from './compare-verdicts.ts';
import { isAboutStatus, isSharedDeparture } from './departures.ts';

const tooLarge = ['OutOfRange'];
const name = ['Required', 'InvalidValue'];
const metricName = ['Required', 'InvalidValue'];
const mark = ['Required', 'OutOfRange'];

/**
 * What the custom resource's schema leaves to its controller, and what is an error here alone, by the field without
 * indexes: a code that is not listed must be the server's too.
 */
const beyondSchema: Readonly<Record<string, readonly string[]>> = {
  // The controller: a target, bounds, shares and velocities in range.
  spec: ['Required'],
  'spec.maxReplicas': ['Required', 'OutOfRange'],
  'spec.tolerance': tooLarge,
  'spec.scaleUpLimitFactor': tooLarge,
  'spec.scaleDownLimitFactor': tooLarge,
  // The controller: metrics that it can read. Here too: names that are none, marks beyond 64 bits.
  'spec.metrics.type': ['NotSupported'],
  'spec.metrics.external': ['Required'],
  'spec.metrics.external.metricName': metricName,
  'spec.metrics.external.metricSelector': ['Required'],
  'spec.metrics.external.highWatermark': mark,
  'spec.metrics.external.lowWatermark': tooLarge,
  'spec.metrics.resource': ['Required'],
  'spec.metrics.resource.name': metricName,
  'spec.metrics.resource.metricSelector': ['Required'],
  'spec.metrics.resource.highWatermark': mark,
  'spec.metrics.resource.lowWatermark': tooLarge,
  // Here alone: a target as an HPA's, something that says how many replicas are needed, and recommenders that work.
  'spec.scaleTargetRef.apiVersion': name,
  'spec.scaleTargetRef.kind': name,
  'spec.scaleTargetRef.name': name,
  'spec.metrics': ['Required'],
  'spec.recommender': ['Forbidden'],
  'spec.recommender.url': ['Required', 'InvalidValue'],
  'spec.recommender.highWatermark': mark,
  'spec.recommender.lowWatermark': mark,
  'metadata.annotations.wpa.datadoghq.com/lifecycle-control.enabled': ['InvalidValue'],
};

/** Fields whose 0 is read as something else. */
const zeroFields = new Set([
  'spec.minReplicas',
  'spec.upscaleForbiddenWindowSeconds',
  'spec.downscaleForbiddenWindowSeconds',
]);

/** What a WatermarkPodAutoscaler is judged differently in than by its CRD. */
export const watermarkDepartures: Departures = {
  isNamed: (error) => isSharedDeparture(error) || isBeyondSchema(error) || isNullInMetadata(error),
  isExcused: (verdict) =>
    isAboutStatus(verdict) ||
    verdict.fields.every(
      (field) => zeroFields.has(field) && verdict.message.includes(`${field}: Invalid value: 0:`),
    ),
};

function isBeyondSchema({ code, path }: Problem): boolean {
  const field = path.filter((key) => typeof key === 'string').join('.');
  return Object.hasOwn(beyondSchema, field) && (beyondSchema[field] ?? []).includes(code);
}

/** Metadata is read as Kubernetes' own: a null in a list is an empty item there, and a schema's error elsewhere. */
function isNullInMetadata({ code, path }: Problem): boolean {
  return code === 'NullItem' && path[0] === 'metadata';
}
