import type { JsonObject } from '#kernel';
import type { ApiAnswer } from '../api/api-server.ts';
import { type HttpRequest, splitPath } from '../api/resource-request.ts';
import { badRequest, methodNotAllowed } from '../api/status-error.ts';
import { type LabelRequirement, parseLabelSelector } from '../objects/label-selector.ts';
import { customMetrics } from './custom-metrics.ts';
import { externalMetrics } from './external-metrics.ts';
import type { MetricsOptions, MetricsRequest } from './metrics-request.ts';
import { podMetrics } from './pod-metrics.ts';

type MetricsApi = (request: MetricsRequest, options: MetricsOptions) => JsonObject;

const apis: Readonly<Record<string, MetricsApi>> = {
  'metrics.k8s.io/v1beta1': podMetrics,
  'custom.metrics.k8s.io/v1beta2': customMetrics,
  'external.metrics.k8s.io/v1beta1': externalMetrics,
};

/**
 * Answers the three metrics APIs; undefined for any other path.
 *
 * @throws StatusError 404 for a metric that was not set, and the error of a failing series
 */
export function answerMetrics(request: HttpRequest, options: MetricsOptions): ApiAnswer | undefined {
  const { apiVersion, segments } = splitPath(request.path) ?? { apiVersion: '', segments: [] };
  const api = apis[apiVersion];
  if (api === undefined || segments.length === 0) return undefined;
  if (request.method !== 'GET') throw methodNotAllowed();
  const resolutionMilliseconds = options.resolutionSeconds * 1000;
  const sampledAtMilliseconds =
    Math.floor(options.clock.now() / resolutionMilliseconds) * resolutionMilliseconds;
  const labels = selector(request, 'labelSelector');
  const metricLabels = selector(request, 'metricLabelSelector');
  return {
    type: 'Answer',
    code: 200,
    body: api({ segments, labels, metricLabels, sampledAtMilliseconds }, options),
  };
}

function selector({ query }: HttpRequest, name: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(query.get(name) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}
