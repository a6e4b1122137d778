import { behaviorSchemas } from './behavior.ts';
import { metricsSchema } from './metrics.ts';
import {
  durationPattern,
  type DurationRule,
  flag,
  list,
  map,
  maxReplicas,
  minReplicas,
  nullable,
  scaleTargetRef,
  text,
  whole,
  words,
} from './parts.ts';
import { recommenderSchema } from './watermark-pod-autoscaler.ts';

/** How often a policy is evaluated. */
export const intervalRule: DurationRule = { min: '1s', max: '1h', units: 'smh' };
/** The seconds between two evaluations of a policy that does not say. */
export const defaultIntervalSeconds = 15;

/** How long a schedule or freeze lasts. */
export const windowRule: DurationRule = { min: '1m', max: '31d', units: 'smhd' };
/** More windows than this in one policy is a generated mistake, and each is evaluated in every pass. */
const windowsMaximum = 50;

const window = {
  name: text('A DNS label, unique over schedules and freezes.'),
  cron: text('When it begins: minute, hour, day of month, month, day of week.'),
  timeZone: text('A name of the IANA database: Europe/Berlin.'),
  duration: text(`How long it lasts: ${windowRule.min} to ${windowRule.max}.`, {
    pattern: durationPattern(windowRule),
  }),
};

const windowFields = Object.keys(window) as (keyof typeof window)[];

/** An item of `schedules`. */
export const scheduleSchema = map(
  {
    ...window,
    minReplicas: { ...minReplicas, description: 'The minimum while it lasts.' },
    maxReplicas: { ...maxReplicas, description: 'The maximum.' },
  },
  { required: windowFields },
);
/** An item of `freeze`. */
export const freezeSchema = map(
  { ...window, direction: words('What is stopped.', ['Up', 'Down', 'Both']) },
  { required: [...windowFields, 'direction'] },
);
/** `lifecycle.blockedBy`. */
export const blockedBySchema = map(
  {
    apiVersion: text('Of the object.'),
    kind: text('Of the object; never a Secret.'),
    name: text('In the same namespace.'),
    jsonPath: text('Where to look: .status.state'),
    notEqual: text('Blocked while the value differs from this; left out, while there is a value.'),
  },
  { required: ['apiVersion', 'kind', 'name', 'jsonPath'] },
);

/** `lifecycle`. */
export const lifecycleSchema = map({ blockedBy: blockedBySchema }, { required: ['blockedBy'] });

/** The `spec` of an AutoscalingPolicy, in the order in which the native form is written. */
export const autoscalingPolicySpec = map(
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
    minReplicas,
    maxReplicas,
    selectionStrategy: words(
      'Which pods count: those that the selector finds, or of them those that the target owns.',
      ['LabelSelector', 'OwnerReference'],
    ),
    interval: nullable(
      text(
        `How often it is evaluated: ${intervalRule.min} to ${intervalRule.max}, by default ${defaultIntervalSeconds}s.`,
        { pattern: durationPattern(intervalRule) },
      ),
    ),
    metrics: metricsSchema('native'),
    recommender: recommenderSchema,
    behavior: behaviorSchemas.native,
    replicaStep: whole('Counts are rounded up to a multiple of it.', { minimum: 1 }),
    convergeTowards: words('Move towards this mark while between the two.', [
      'HighWatermark',
      'LowWatermark',
    ]),
    tolerateZero: flag('Whether a metric of 0 is a value, not an outage.'),
    minAvailablePercent: whole('Share of pods that must be ready.', { minimum: 0, maximum: 100 }),
    readinessDelaySeconds: whole('How long a young pod does not count.', { minimum: 1 }),
    lifecycle: lifecycleSchema,
    schedules: list('Bounds for a time.', scheduleSchema, { maxItems: windowsMaximum }),
    freeze: list('Times in which a direction is stopped.', freezeSchema, { maxItems: windowsMaximum }),
  },
  { required: ['scaleTargetRef', 'maxReplicas'] },
);

/** The fields that belong to one policy alone: a PolicyDefaults has none of them. */
export const ownToPolicy = ['scaleTargetRef', 'enabled', 'replicas', 'schedules', 'freeze'] as const;
