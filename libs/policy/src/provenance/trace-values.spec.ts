import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { parsePolicyJson } from '../documents/parse-policy.ts';
import { pathText } from '../reading/place.ts';
import { traceValues } from './trace-values.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const metadata = { name: 'web', namespace: 'shop' };
const native = (spec: JsonObject): JsonObject => ({
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'AutoscalingPolicy',
  metadata,
  spec: { scaleTargetRef, ...spec },
});
const hpa = (version: string, spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: `autoscaling/${version}`,
  kind: 'HorizontalPodAutoscaler',
  metadata: { ...metadata, annotations },
  spec: { scaleTargetRef, ...spec },
});
const watermark = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'WatermarkPodAutoscaler',
  metadata: { ...metadata, annotations },
  spec: { scaleTargetRef, maxReplicas: 9, ...spec },
});

/** `path value <- path written`, or the default's kind. */
function traced(document: JsonObject): readonly string[] {
  const read = parsePolicyJson(document);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return traceValues(read.value, document).map(({ path, value, origin }) => {
    const from =
      origin.kind === 'Written' ? `${pathText(origin.path)} ${JSON.stringify(origin.value)}` : origin.kind;
    return `${pathText(path)} ${JSON.stringify(value)} <- ${from}`;
  });
}

const targetLines = [
  'spec.scaleTargetRef.apiVersion "apps/v1" <- spec.scaleTargetRef.apiVersion "apps/v1"',
  'spec.scaleTargetRef.kind "Deployment" <- spec.scaleTargetRef.kind "Deployment"',
  'spec.scaleTargetRef.name "web" <- spec.scaleTargetRef.name "web"',
];
const renderedLines = [
  ...targetLines,
  'spec.actuation "HorizontalPodAutoscaler" <- PlimsollDefault',
  'spec.enabled true <- PlimsollDefault',
  'spec.dryRun false <- PlimsollDefault',
];

const cases = [
  {
    name: 'an AutoscalingPolicy: what it writes, and the defaults of its family',
    given: native({ maxReplicas: 9, interval: '60s' }),
    want: [
      ...targetLines,
      'spec.actuation "Scale" <- PlimsollDefault',
      'spec.enabled true <- PlimsollDefault',
      'spec.dryRun false <- PlimsollDefault',
      'spec.minReplicas 1 <- UpstreamDefault',
      'spec.maxReplicas 9 <- spec.maxReplicas 9',
      'spec.selectionStrategy "LabelSelector" <- PlimsollDefault',
      'spec.interval "1m" <- spec.interval "60s"',
      'spec.metrics[0].type "Resource" <- UpstreamDefault',
      'spec.metrics[0].resource.name "cpu" <- UpstreamDefault',
      'spec.metrics[0].resource.target.type "Utilization" <- UpstreamDefault',
      'spec.metrics[0].resource.target.averageUtilization 80 <- UpstreamDefault',
    ],
  },
  {
    name: 'one mark that is both, and a minimum of 0 that counts as 1',
    given: native({
      minReplicas: 0,
      maxReplicas: 9,
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'Watermark', highWatermark: '0.6' } },
        },
      ],
    }),
    want: expect.arrayContaining([
      'spec.minReplicas 1 <- spec.minReplicas 0',
      'spec.metrics[0].external.target.lowWatermark "0.6" <- spec.metrics[0].external.target.highWatermark "0.6"',
      'spec.metrics[0].external.target.highWatermark "0.6" <- spec.metrics[0].external.target.highWatermark "0.6"',
      'spec.metrics[0].external.target.algorithm "absolute" <- UpstreamDefault',
    ]),
  },
  {
    name: 'autoscaling/v2: a direction that is written, and one that is filled in',
    given: hpa('v2', {
      maxReplicas: 9,
      metrics: [],
      behavior: { scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] } },
    }),
    want: expect.arrayContaining([
      ...renderedLines,
      'spec.behavior.scaleUp.stabilizationWindowSeconds 0 <- UpstreamDefault',
      'spec.behavior.scaleUp.policies[0].value 2 <- spec.behavior.scaleUp.policies[0].value 2',
      'spec.behavior.scaleDown.policies[0].value 100 <- UpstreamDefault',
    ]),
  },
  {
    name: 'autoscaling/v1: the CPU target, and what stands in annotations',
    given: hpa(
      'v1',
      { maxReplicas: 9, targetCPUUtilizationPercentage: 70 },
      {
        'autoscaling.alpha.kubernetes.io/metrics':
          '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"5"}}]',
      },
    ),
    want: expect.arrayContaining([
      ...renderedLines,
      expect.stringMatching(
        /^spec\.metrics\[0\]\.pods\.metric\.name "rps" <- metadata\.annotations\["autoscaling\.alpha\.kubernetes\.io\/metrics"\]/,
      ),
      'spec.metrics[1].resource.target.averageUtilization 70 <- spec.targetCPUUtilizationPercentage 70',
    ]),
  },
  {
    name: 'autoscaling/v2beta1: the section that says a target',
    given: hpa('v2beta1', {
      maxReplicas: 9,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } }],
    }),
    want: expect.arrayContaining([
      'spec.metrics[0].resource.name "cpu" <- spec.metrics[0].resource.name "cpu"',
      'spec.metrics[0].resource.target.averageUtilization 60 <- spec.metrics[0].resource {"name":"cpu","targetAverageUtilization":60}',
    ]),
  },
  {
    name: 'a WatermarkPodAutoscaler with nothing but marks: upstream’s defaults',
    given: watermark({
      metrics: [
        {
          type: 'External',
          external: {
            metricName: 'queue',
            metricSelector: { matchLabels: { app: 'web' } },
            highWatermark: '5',
          },
        },
      ],
    }),
    want: [
      ...targetLines,
      'spec.actuation "Scale" <- PlimsollDefault',
      'spec.enabled true <- PlimsollDefault',
      'spec.dryRun false <- UpstreamDefault',
      'spec.minReplicas 1 <- UpstreamDefault',
      'spec.maxReplicas 9 <- spec.maxReplicas 9',
      'spec.selectionStrategy "OwnerReference" <- UpstreamDefault',
      'spec.interval "15s" <- PlimsollDefault',
      'spec.metrics[0].type "External" <- spec.metrics[0].type "External"',
      'spec.metrics[0].external.metric.name "queue" <- spec.metrics[0].external.metricName "queue"',
      'spec.metrics[0].external.metric.selector.matchLabels.app "web" <- spec.metrics[0].external.metricSelector.matchLabels.app "web"',
      'spec.metrics[0].external.target.type "Watermark" <- kind "WatermarkPodAutoscaler"',
      'spec.metrics[0].external.target.lowWatermark "5" <- spec.metrics[0].external.highWatermark "5"',
      'spec.metrics[0].external.target.highWatermark "5" <- spec.metrics[0].external.highWatermark "5"',
      'spec.metrics[0].external.target.algorithm "absolute" <- UpstreamDefault',
      'spec.metrics[0].external.target.tolerance "0.1" <- UpstreamDefault',
      'spec.behavior.scaleUp.forbiddenWindowSeconds 60 <- UpstreamDefault',
      'spec.behavior.scaleUp.delaySeconds 0 <- UpstreamDefault',
      'spec.behavior.scaleUp.limitPercent 50 <- UpstreamDefault',
      'spec.behavior.scaleDown.forbiddenWindowSeconds 300 <- UpstreamDefault',
      'spec.behavior.scaleDown.delaySeconds 0 <- UpstreamDefault',
      'spec.behavior.scaleDown.limitPercent 20 <- UpstreamDefault',
      'spec.replicaStep 1 <- UpstreamDefault',
      'spec.tolerateZero false <- UpstreamDefault',
      'spec.minAvailablePercent 0 <- UpstreamDefault',
    ],
  },
] as const;

describe('the values of a policy and where they come from', () => {
  it.each(cases)('$name', ({ given, want }) => {
    expect(traced(given)).toEqual(want);
  });

  it('finds every field of a WatermarkPodAutoscaler that writes them all', () => {
    const document = watermark(
      {
        minReplicas: 2,
        dryRun: true,
        algorithm: 'average',
        tolerance: '0.2',
        scaleUpLimitFactor: '30',
        scaleDownLimitFactor: '10',
        upscaleForbiddenWindowSeconds: 30,
        downscaleForbiddenWindowSeconds: 40,
        upscaleDelayAboveWatermarkSeconds: 5,
        downscaleDelayBelowWatermarkSeconds: 6,
        replicaScalingAbsoluteModulo: 2,
        convergeTowardsWatermark: 'highwatermark',
        tolerateZero: true,
        minAvailableReplicaPercentage: 50,
        readinessDelaySeconds: 10,
        metrics: [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              metricSelector: { matchLabels: { app: 'web' } },
              lowWatermark: '400m',
              highWatermark: '500m',
            },
          },
        ],
      },
      {
        'wpa.datadoghq.com/skip-owner-check': 'true',
        'wpa.datadoghq.com/lifecycle-control.enabled': 'true',
      },
    );
    expect(traced(document).filter((line) => line.endsWith('Default'))).toEqual([
      'spec.actuation "Scale" <- PlimsollDefault',
      'spec.enabled true <- PlimsollDefault',
      'spec.interval "15s" <- PlimsollDefault',
    ]);
  });
});
