import { type JsonObject } from '#kernel';
import { type ApiAnswer } from '../api/api-server.ts';
import { type HttpRequest, splitPath } from '../api/resource-request.ts';
import { badRequest, methodNotAllowed, unknownResource } from '../api/status-error.ts';
import { type SimulationClock } from '../clock/simulation-clock.ts';
import { type LoadBoard } from '../load/load-board.ts';
import { type LabelRequirement, parseLabelSelector } from '../objects/label-selector.ts';
import { type ResourceRegistry } from '../registry/resource-registry.ts';
import { type ObjectStore } from '../storage/object-store.ts';
import { customMetrics } from './custom-metrics.ts';
import { externalMetrics } from './external-metrics.ts';
import { podMetrics } from './pod-metrics.ts';

/** What the metrics APIs compute from. */
export interface MetricsParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: SimulationClock;
  readonly load: LoadBoard;
  /** Samples are taken at whole multiples of this; each stands for the time since the one before. */
  readonly resolutionSeconds: number;
}

/** A request to a metrics API: the path below its version, and its selectors. */
export interface MetricsRequest {
  readonly segments: readonly string[];
  readonly labels: readonly LabelRequirement[];
  readonly metricLabels: readonly LabelRequirement[];
  /** When the latest sample was taken, milliseconds since the epoch. */
  readonly sampledAtMs: number;
}

type MetricsApi = (request: MetricsRequest, parts: MetricsParts) => JsonObject;

const APIS: Readonly<Record<string, MetricsApi>> = {
  'metrics.k8s.io/v1beta1': podMetrics,
  'custom.metrics.k8s.io/v1beta2': customMetrics,
  'external.metrics.k8s.io/v1beta1': externalMetrics,
};

/**
 * Answers the three metrics APIs; undefined for any other path.
 *
 * @throws StatusError 404 for a metric that nobody set, and whatever a failing series says
 */
export function answerMetrics(request: HttpRequest, parts: MetricsParts): ApiAnswer | undefined {
  const { apiVersion, segments } = splitPath(request.path) ?? { apiVersion: '', segments: [] };
  const api = APIS[apiVersion];
  if (api === undefined || segments.length === 0) return undefined;
  if (request.method !== 'GET') throw methodNotAllowed();
  const resolutionMs = parts.resolutionSeconds * 1000;
  const sampledAtMs = Math.floor(parts.clock.now() / resolutionMs) * resolutionMs;
  const labels = selector(request, 'labelSelector');
  const metricLabels = selector(request, 'metricLabelSelector');
  return { type: 'Answer', code: 200, body: api({ segments, labels, metricLabels, sampledAtMs }, parts) };
}

/** 404 with Kubernetes' text for an unknown path of a metrics API. */
export function noSuchMetric(): Error {
  return unknownResource();
}

function selector({ query }: HttpRequest, name: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(query.get(name) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}
