import { Random } from '../../support/random.ts';
import { metadata, selector, target } from './document-parts.ts';
import type { Json, JsonMap } from './document-values.ts';
import { mutate, type Palette } from './mutate-document.ts';

const metricBuilders: readonly (() => JsonMap)[] = [
  () => ({
    type: 'External',
    external: { metricName: 'queue', metricSelector: selector(), highWatermark: '20', lowWatermark: 10 },
  }),
  () => ({ type: 'External', external: { metricName: 'queue', metricSelector: {}, lowWatermark: '500m' } }),
  () => ({
    type: 'Resource',
    resource: { name: 'cpu', metricSelector: selector(), highWatermark: '1500m', lowWatermark: '1' },
  }),
  () => ({
    type: 'Resource',
    resource: { name: 'memory', metricSelector: {}, highWatermark: '2Gi' },
    external: { metricName: 'unread', highWatermark: '1' },
  }),
];

const recommender = (): JsonMap => ({
  url: 'https://recommender.example.com/v1',
  targetType: 'cpu',
  highWatermark: 80,
  lowWatermark: '70.5',
  settings: { lookback: '5m' },
  tlsConfig: {
    caFile: '/etc/ca.pem',
    certFile: '/etc/client.pem',
    keyFile: '/etc/client.key',
    serverName: 'recommender',
    insecureSkipVerify: false,
    minVersion: 'TLS12',
    maxVersion: 'TLS13',
  },
});

const optionalFields: Readonly<Record<string, Json>> = {
  minReplicas: 2,
  algorithm: 'average',
  tolerance: '0.05',
  scaleUpLimitFactor: '12.5',
  scaleDownLimitFactor: 30,
  upscaleForbiddenWindowSeconds: 30,
  downscaleForbiddenWindowSeconds: 600,
  upscaleDelayAboveWatermarkSeconds: 15,
  downscaleDelayBelowWatermarkSeconds: 45,
  replicaScalingAbsoluteModulo: 2,
  convergeTowardsWatermark: 'highwatermark',
  tolerateZero: true,
  dryRun: false,
  minAvailableReplicaPercentage: 50,
  readinessDelaySeconds: 10,
};

const palette: Palette = {
  keys: [
    ...Object.keys(optionalFields),
    'metrics',
    'recommender',
    'external',
    'resource',
    'metricSelector',
    'highWatermark',
    'lowWatermark',
    'metricName',
    'name',
    'tlsConfig',
    'settings',
    'status',
    'spec',
    'extra',
    'pods',
  ],
  parts: [...metricBuilders, recommender, selector],
};

const annotations = {
  'wpa.datadoghq.com/lifecycle-control.enabled': 'true',
  'wpa.datadoghq.com/skip-owner-check': 'yes',
};

function validDocument(random: Random): JsonMap {
  const spec: JsonMap = { scaleTargetRef: target(), maxReplicas: 9 };
  if (random.chance(0.25)) spec['recommender'] = recommender();
  else spec['metrics'] = Array.from({ length: 1 + random.below(2) }, () => random.pick(metricBuilders)());
  for (const [name, value] of Object.entries(optionalFields))
    if (random.chance(0.3)) spec[name] = structuredClone(value);
  const own = metadata(random);
  if (random.chance(0.2)) own['annotations'] = { ...annotations };
  return { apiVersion: 'datadoghq.com/v1alpha1', kind: 'WatermarkPodAutoscaler', metadata: own, spec };
}

/** A WatermarkPodAutoscaler that differs from a valid one in a few places. */
export function generateWatermark(seed: number): JsonMap {
  const random = new Random(seed);
  const document = validDocument(random);
  const changes = random.pick([0, 1, 1, 1, 1, 2, 3]);
  for (let change = 0; change < changes; change++) mutate(document, palette, random);
  document['apiVersion'] = 'datadoghq.com/v1alpha1';
  document['kind'] = 'WatermarkPodAutoscaler';
  return document;
}
