import type { MetricReportType } from '../model/decision.ts';
import type { ObservationFailure, ObservedMetric } from '../model/observation.ts';

/** The reason of ScalingActive, and of a report's error, where a metric of a type is invalid. */
export const failureReasons: Readonly<Record<MetricReportType, string>> = {
  Resource: 'FailedGetResourceMetric',
  ContainerResource: 'FailedGetContainerResourceMetric',
  Pods: 'FailedGetPodsMetric',
  Object: 'FailedGetObjectMetric',
  External: 'FailedGetExternalMetric',
  Prometheus: 'FailedGetPrometheusMetric',
  Recommender: 'FailedGetResourceMetric',
};

/** Why a metric's source gave nothing, or null. A metric that was not observed at all is a failure too. */
export function sourceFailure(observed: ObservedMetric | undefined, type: MetricReportType): string | null {
  if (observed === undefined) return 'the metric was not observed';
  const { error } = observed;
  return error === null || error === undefined ? null : describeFailure(error, failureReasons[type]);
}

/** What was observed in place of an answer; its reason only where it says more than the `told` one beside it. */
export function describeFailure({ reason, message }: ObservationFailure['error'], told: string): string {
  const text = message ?? 'no message';
  return reason === told ? text : `${reason ?? 'Failed'}: ${text}`;
}
