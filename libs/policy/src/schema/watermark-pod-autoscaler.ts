import type { JsonObject } from '#kernel';
import { flag, list, map, reference, scaleTargetRef, text, whole, words } from './parts.ts';

const marks = { highWatermark: reference('quantity'), lowWatermark: reference('quantity') };
const section = { metricSelector: reference('selector'), ...marks };
const tlsVersion = { enum: ['TLS10', 'TLS11', 'TLS12', 'TLS13'] };

/** A recommender, of both kinds that have one. */
export const recommenderSchema: JsonObject = map(
  {
    url: text('http or https; its host must be one of the configuration.'),
    tlsConfig: map({
      caFile: text('Below the configured folder.'),
      certFile: text('Below the configured folder.'),
      keyFile: text('Below the configured folder.'),
      serverName: text('The name in its certificate.'),
      insecureSkipVerify: flag('Do not check its certificate.'),
      minVersion: tlsVersion,
      maxVersion: tlsVersion,
    }),
    settings: { type: 'object', additionalProperties: { type: 'string' } },
    targetType: text('Passed on.'),
    ...marks,
  },
  { required: ['url', 'highWatermark', 'lowWatermark'] },
);

const metric = map(
  {
    type: words('Which section follows.', ['External', 'Resource']),
    external: map({ metricName: text('The metric.'), ...section }, { required: ['metricName'] }),
    resource: map({ name: text('cpu or memory.'), ...section }, { required: ['name'] }),
  },
  { required: ['type'] },
);

/** The `spec` of a WatermarkPodAutoscaler. */
export const watermarkSpec: JsonObject = map(
  {
    scaleTargetRef,
    minReplicas: whole('By default 1, and 0 is read as 1.', { minimum: 0, type: ['integer', 'null'] }),
    maxReplicas: whole('At least minReplicas.', { minimum: 1 }),
    algorithm: text('absolute (default) or average; anything else counts as absolute.'),
    tolerance: { anyOf: [reference('quantity'), { type: 'null' }] },
    scaleUpLimitFactor: reference('quantity'),
    scaleDownLimitFactor: reference('quantity'),
    upscaleForbiddenWindowSeconds: whole('By default 60; 0 is the default.', {
      minimum: 0,
      type: ['integer', 'null'],
    }),
    downscaleForbiddenWindowSeconds: whole('By default 300; 0 is the default.', { minimum: 0 }),
    upscaleDelayAboveWatermarkSeconds: whole('By default 0.', { minimum: 0 }),
    downscaleDelayBelowWatermarkSeconds: whole('By default 0.', { minimum: 0 }),
    replicaScalingAbsoluteModulo: whole('By default 1.', { minimum: 1, type: ['integer', 'null'] }),
    convergeTowardsWatermark: text('highwatermark or lowwatermark; anything else is off.'),
    tolerateZero: { ...flag('Whether a metric of 0 is a value.'), type: ['boolean', 'null'] },
    dryRun: flag('Decide, do not act.'),
    minAvailableReplicaPercentage: whole('Share of pods that must be ready.', { maximum: 100 }),
    readinessDelaySeconds: whole('How long a young pod does not count.', { minimum: 1 }),
    metrics: { ...list('Exclude a recommender.', metric), type: ['array', 'null'] },
    recommender: recommenderSchema,
  },
  { required: ['scaleTargetRef', 'maxReplicas'] },
);
