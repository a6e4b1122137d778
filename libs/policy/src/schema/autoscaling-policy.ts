import type { JsonObject } from '#kernel';
import { behaviorSchema, metricsSchema } from './metrics.ts';
import { flag, list, map, scaleTargetRef, text, whole, words } from './parts.ts';
import { recommenderSchema } from './watermark-pod-autoscaler.ts';

const window = {
  name: text('A DNS label, unique over schedules and freezes.'),
  cron: text('When it begins: minute, hour, day of month, month, day of week.'),
  timeZone: text('A name of the IANA database: Europe/Berlin.'),
  duration: text('How long it lasts: 1m to 31d.', { pattern: '^\\d+[smhd]$' }),
};

const schedule = map(
  {
    ...window,
    minReplicas: whole('The minimum while it lasts.', { minimum: 0 }),
    maxReplicas: whole('The maximum.', { minimum: 1 }),
  },
  { required: Object.keys(window) },
);
const freeze = map(
  { ...window, direction: words('What is stopped.', ['Up', 'Down', 'Both']) },
  { required: [...Object.keys(window), 'direction'] },
);
const blockedBy = map(
  {
    apiVersion: text('Of the object.'),
    kind: text('Of the object; never a Secret.'),
    name: text('In the same namespace.'),
    jsonPath: text('Where to look: .status.state'),
    notEqual: text('Blocked while the value differs from this; left out, while there is a value.'),
  },
  { required: ['apiVersion', 'kind', 'name', 'jsonPath'] },
);

/** The `spec` of an AutoscalingPolicy. */
export const autoscalingPolicySpec: JsonObject = map(
  {
    scaleTargetRef,
    actuation: words(
      'Scale (default): Plimsoll writes the scale. HorizontalPodAutoscaler: it renders an HPA.',
      ['Scale', 'HorizontalPodAutoscaler'],
    ),
    enabled: flag('false: no autoscaling. By default true.'),
    replicas: whole('The count restored when enabled becomes false; left out, the present count stays.', {
      minimum: 0,
    }),
    dryRun: flag('Decide and record, do not act.'),
    minReplicas: whole('By default 1; 0 needs an Object or External metric.', { minimum: 0 }),
    maxReplicas: whole('At least minReplicas.', { minimum: 1 }),
    selectionStrategy: words(
      'Which pods count: those that the selector finds, or of them those that the target owns.',
      ['LabelSelector', 'OwnerReference'],
    ),
    interval: {
      ...text('How often it is evaluated: 1s to 1h, by default 15s.', { pattern: '^\\d+[smh]$' }),
      type: ['string', 'null'],
    },
    metrics: metricsSchema('native'),
    recommender: recommenderSchema,
    behavior: behaviorSchema('native'),
    replicaStep: whole('Counts are rounded up to a multiple of it.', { minimum: 1 }),
    convergeTowards: words('Move towards this mark while between the two.', [
      'HighWatermark',
      'LowWatermark',
    ]),
    tolerateZero: flag('Whether a metric of 0 is a value, not an outage.'),
    minAvailablePercent: whole('Share of pods that must be ready.', { minimum: 0, maximum: 100 }),
    readinessDelaySeconds: whole('How long a young pod does not count.', { minimum: 1 }),
    lifecycle: map({ blockedBy }, { required: ['blockedBy'] }),
    schedules: list('Bounds for a time.', schedule, { maxItems: 50 }),
    freeze: list('Times in which a direction is stopped.', freeze, { maxItems: 50 }),
  },
  { required: ['scaleTargetRef', 'maxReplicas'] },
);
