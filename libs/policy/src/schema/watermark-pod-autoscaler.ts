import { maximumMetrics } from './metrics.ts';
import {
  flag,
  list,
  map,
  maxReplicas,
  minReplicas,
  nullable,
  reference,
  scaleTargetRef,
  text,
  whole,
  words,
} from './parts.ts';

const marks = { highWatermark: reference('quantity'), lowWatermark: reference('quantity') };
const section = { metricSelector: reference('selector'), ...marks };
const tlsVersions = ['TLS10', 'TLS11', 'TLS12', 'TLS13'] as const;
const tlsVersion = { enum: tlsVersions };

/** `tlsConfig` of a recommender. */
export const tlsSchema = map({
  caFile: text('Below the configured folder.'),
  certFile: text('Below the configured folder.'),
  keyFile: text('Below the configured folder.'),
  serverName: text('The name in its certificate.'),
  insecureSkipVerify: flag('Do not check its certificate.'),
  minVersion: tlsVersion,
  maxVersion: tlsVersion,
});

/** A recommender, of both kinds that have one. */
export const recommenderSchema = map(
  {
    url: text('http or https; its host must be one of the configuration.'),
    tlsConfig: tlsSchema,
    settings: { type: 'object', additionalProperties: { type: 'string' } },
    targetType: text('Passed on.'),
    ...marks,
  },
  { required: ['url', 'highWatermark', 'lowWatermark'] },
);

/** Seconds that a direction waits after a scaling where a document does not say. */
export const defaultForbiddenSeconds = { scaleUp: 60, scaleDown: 300 } as const;

/** One metric. */
export const watermarkMetricSchema = map(
  {
    type: words('Which section follows.', ['External', 'Resource']),
    external: map({ metricName: text('The metric.'), ...section }, { required: ['metricName'] }),
    resource: map({ name: text('cpu or memory.'), ...section }, { required: ['name'] }),
  },
  { required: ['type'] },
);

/** The `spec` of a WatermarkPodAutoscaler. */
export const watermarkSpec = map(
  {
    scaleTargetRef,
    minReplicas: nullable({ ...minReplicas, description: 'By default 1, and 0 is read as 1.' }),
    maxReplicas,
    algorithm: text('absolute (default) or average; anything else counts as absolute.'),
    tolerance: { anyOf: [reference('quantity'), { type: 'null' }] },
    scaleUpLimitFactor: reference('quantity'),
    scaleDownLimitFactor: reference('quantity'),
    upscaleForbiddenWindowSeconds: nullable(
      whole(`By default ${defaultForbiddenSeconds.scaleUp}; 0 is the default.`, { minimum: 0 }),
    ),
    downscaleForbiddenWindowSeconds: whole(
      `By default ${defaultForbiddenSeconds.scaleDown}; 0 is the default.`,
      { minimum: 0 },
    ),
    upscaleDelayAboveWatermarkSeconds: whole('By default 0.', { minimum: 0 }),
    downscaleDelayBelowWatermarkSeconds: whole('By default 0.', { minimum: 0 }),
    replicaScalingAbsoluteModulo: nullable(whole('By default 1.', { minimum: 1 })),
    convergeTowardsWatermark: text('highwatermark or lowwatermark; anything else is off.'),
    tolerateZero: nullable(flag('Whether a metric of 0 is a value.')),
    dryRun: flag('Decide, do not act.'),
    minAvailableReplicaPercentage: whole('Share of pods that must be ready.', { maximum: 100 }),
    readinessDelaySeconds: whole('How long a young pod does not count.', { minimum: 1 }),
    metrics: nullable(list('Exclude a recommender.', watermarkMetricSchema, { maxItems: maximumMetrics })),
    recommender: recommenderSchema,
  },
  { required: ['scaleTargetRef', 'maxReplicas'] },
);
