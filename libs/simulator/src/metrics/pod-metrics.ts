import type { JsonObject } from '#kernel';
import { notFound, unknownResource } from '../api/status-error.ts';
import { PodUsage } from '../load/pod-usage.ts';
import { type KubeObject, listAt, textAt, toKubeTime } from '../objects/kube-object.ts';
import { matchesLabels } from '../objects/label-selector.ts';
import type { MetricsOptions, MetricsRequest } from './metrics-request.ts';

const apiVersion = 'metrics.k8s.io/v1beta1';
const nanoPerMilli = 1_000_000;
const kibibyte = 1024;

/** metrics.k8s.io: what running pods used in the latest sample; pods that started after it are not in it yet. */
export function podMetrics(request: MetricsRequest, options: MetricsOptions): JsonObject {
  const { namespace, name } = podTarget(request.segments);
  const usage = new PodUsage(options, request.sampledAtMilliseconds);
  const sample: Sample = {
    sampledAtMilliseconds: request.sampledAtMilliseconds,
    window: `${options.resolutionSeconds}s`,
    usage,
  };
  if (name !== undefined) {
    const pod = options.store.get({ resource: '/pods', namespace: namespace ?? '', name });
    const resource = { group: 'metrics.k8s.io', plural: 'pods', kind: 'PodMetrics' };
    if (pod === undefined || !isSampled(pod, sample)) throw notFound(resource, name);
    return { kind: 'PodMetrics', apiVersion: apiVersion, ...toPodMetrics(pod, sample) };
  }
  const items = options.store
    .list('/pods', namespace)
    .filter((pod) => matchesLabels(pod.metadata.labels, request.labels) && isSampled(pod, sample))
    .map((pod) => toPodMetrics(pod, sample));
  return { kind: 'PodMetricsList', apiVersion: apiVersion, metadata: {}, items };
}

interface Sample {
  readonly sampledAtMilliseconds: number;
  readonly window: string;
  readonly usage: PodUsage;
}

/** `namespaces/NS/pods[/NAME]` or `pods`. */
function podTarget(segments: readonly string[]): {
  namespace?: string | undefined;
  name?: string | undefined;
} {
  const [first, namespace, plural, name, ...more] = segments;
  if (first === 'pods' && segments.length === 1) return {};
  if (first === 'namespaces' && plural === 'pods' && more.length === 0) return { namespace, name };
  throw unknownResource();
}

function isSampled(pod: KubeObject, { sampledAtMilliseconds }: Sample): boolean {
  if (textAt(pod, 'status', 'phase') !== 'Running') return false;
  const statuses = listAt(pod, 'status', 'containerStatuses');
  return statuses.every((status) => {
    const startedAt = textAt(status, 'state', 'running', 'startedAt');
    return startedAt !== undefined && Date.parse(startedAt) <= sampledAtMilliseconds;
  });
}

function toPodMetrics(pod: KubeObject, { sampledAtMilliseconds, window, usage }: Sample): JsonObject {
  const { name, namespace, labels } = pod.metadata;
  const timestamp = toKubeTime(sampledAtMilliseconds);
  return {
    metadata: { name, namespace, creationTimestamp: timestamp, labels },
    timestamp,
    window,
    containers: usage.of(pod).map(({ container, cpuMillicores, memoryBytes }) => ({
      name: container,
      usage: {
        cpu: `${Math.round(cpuMillicores * nanoPerMilli)}n`,
        memory: `${Math.round(memoryBytes / kibibyte)}Ki`,
      },
    })),
  };
}
