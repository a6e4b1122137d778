import { addSeconds, compareInstants, err, type Milli, type Result } from '#kernel';
import type { MetricSpec, WatermarkTarget } from '#policy';
import {
  type CountedPods,
  invalidMetric,
  type MetricResult,
  type ValidMetric,
} from '../evaluation/evaluated-metric.ts';
import { instantOf } from '../model/instant-of.ts';
import type { ObservedMetric, ObservedPod, PodSample } from '../model/observation.ts';
import { checkAvailable } from './availability.ts';
import { compareWithWatermarks } from './compare-with-watermarks.ts';
import type { MetricContext } from './metric-context.ts';
import { noSamplesLeft, type PodReadings, readSamples, resourceReader } from './pod-readings.ts';
import { sourceFailure } from './source-failure.ts';
import { currentOf, describeUsage, sumExactly, truncated } from './watermark-value-metric.ts';

type ResourceSpec = Extract<MetricSpec, { type: 'Resource' | 'ContainerResource' }>;

interface WatermarkInput {
  readonly spec: ResourceSpec;
  readonly target: WatermarkTarget;
  readonly observed: ObservedMetric | undefined;
}

/**
 * Resource and ContainerResource between two watermarks: absolute usage, never a percentage of requests.
 *
 * @see docs/spec/watermark-rules.md "Resource metrics"
 */
export function watermarkResourceMetric(context: MetricContext, input: WatermarkInput): MetricResult {
  const { spec, target, observed } = input;
  const failure = sourceFailure(observed, spec.type);
  const listed = failure === null ? (observed?.pods ?? []) : [];
  const readings = readSelected(context, { spec, listed });
  const { pods, values } = groupForWatermarks(context, { readings, isCpu: spec.resource === 'cpu' });
  const ready =
    failure === null ? countReady(context, { pods, readings, listed: listed.length }) : err(failure);
  if (!ready.ok) return invalidMetric(ready.error, pods);
  const sum = sumExactly(values);
  if (sum === undefined) return invalidMetric('the sum of the usage is beyond int64 milli-units', pods);
  const usage = target.algorithm === 'average' ? Number(sum) / ready.value : Number(sum);
  const figures = describeUsage({ usage, target });
  const outcome = compareWithWatermarks(context, { usage, ready: ready.value, target, figures });
  if (!outcome.ok) return invalidMetric(outcome.error, pods);
  const metric: ValidMetric = {
    ok: true,
    current: currentOf(target, truncated(usage, sum), spec.resource),
    pods,
    readyCount: ready.value,
    isZeroValue: false,
    ...outcome.value,
  };
  return readings.stale !== null ? neverBelowPresent(context, metric) : metric;
}

/** Samples of pods outside the selection never count here, under either strategy. */
function readSelected(
  { evaluation, selected }: MetricContext,
  { spec, listed }: { spec: ResourceSpec; listed: readonly PodSample[] },
): PodReadings {
  const container = spec.type === 'ContainerResource' ? spec.container : null;
  const read = resourceReader(spec.resource, container);
  return readSamples(listed, { evaluation, selected: { ...selected, isFiltered: true }, read });
}

/** A selected pod whose sample is stale has an unknown usage, so the target is not scaled down. */
function neverBelowPresent({ evaluation: { present } }: MetricContext, metric: ValidMetric): ValidMetric {
  if (metric.proposal >= present) return metric;
  return {
    ...metric,
    proposal: present,
    convergence: 'NotConverging',
    explain: () => [
      {
        rule: 'invalid-metric',
        after: present,
        because: `a pod's sample is stale, so no fewer than the present ${present} are proposed (the others say ${metric.proposal})`,
      },
    ],
  };
}

interface Grouped {
  readonly pods: CountedPods;
  /** Values of the ready pods. */
  readonly values: readonly Milli[];
}

function groupForWatermarks(
  context: MetricContext,
  { readings, isCpu }: { readings: PodReadings; isCpu: boolean },
): Grouped {
  const ready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  const values: Milli[] = [];
  for (const [index, pod] of context.selected.pods.entries()) {
    const value = readings.values[index];
    if (pod.phase === 'Failed' || pod.phase === 'Pending') {
      ignored.push(pod.name);
    } else if (value === undefined) {
      missing.push(pod.name);
    } else if (isCpu && isTooYoung(pod, context)) {
      ignored.push(pod.name);
    } else {
      ready.push(pod.name);
      values.push(value);
    }
  }
  return { pods: { ready, unready: [], missing, ignored }, values };
}

/** Only for cpu: not ready, or started less than the readiness delay ago. Ready "Unknown" passes. */
function isTooYoung({ ready, startTime }: ObservedPod, { evaluation }: MetricContext): boolean {
  const started = instantOf(startTime);
  if (ready === null || ready === undefined || started === undefined || ready.status === 'False') return true;
  return compareInstants(addSeconds(started, evaluation.policy.readinessDelaySeconds), evaluation.now) > 0;
}

function countReady(
  context: MetricContext,
  { pods, readings, listed }: { pods: CountedPods; readings: PodReadings; listed: number },
): Result<number, string> {
  if (listed === 0) return err('no metrics returned from resource metrics API');
  if (readings.fault !== null) return err(readings.fault);
  const all = context.selected.pods.length;
  if (all === 0) return err('no pods returned by selector while calculating replica count');
  if (all === pods.ignored.length)
    return err(`all ${all} pods are ignored, so there is nothing to divide by`);
  if (pods.ready.length === 0) return err(noSamplesLeft(readings, context.evaluation));
  return checkAvailable({
    ready: pods.ready.length,
    of: all - pods.ignored.length,
    minimum: context.evaluation.policy.minAvailablePercent,
  });
}
