import { list, map, nullable, reference, whole, words } from './parts.ts';

/** One rate of a direction. */
export const ratePolicySchema = map(
  {
    type: words('Counted in pods or percent.', ['Pods', 'Percent']),
    value: whole('Most that may change within the period.', { minimum: 1 }),
    periodSeconds: whole('The period.', { minimum: 1, maximum: 1800 }),
  },
  { required: ['type', 'value', 'periodSeconds'] },
);

export const selectPolicies = ['Max', 'Min', 'Disabled'] as const;

export const maximumRatePolicies = 100;

/** The fields of a direction that autoscaling/v2 has. */
export const hpaDirection = {
  stabilizationWindowSeconds: nullable(
    whole('How far back recommendations count.', { minimum: 0, maximum: 3600 }),
  ),
  selectPolicy: { enum: [...selectPolicies, null] },
  policies: nullable(list('Rates.', ratePolicySchema, { minItems: 1, maxItems: maximumRatePolicies })),
  tolerance: { anyOf: [reference('quantity'), { type: 'null' }] },
};

/** Our own fields of a direction, but for the limit. */
const delays = {
  forbiddenWindowSeconds: whole('Time after any scaling in which this direction waits.', { minimum: 0 }),
  delaySeconds: whole('Time that a watermark must be crossed first.', { minimum: 0 }),
};

function ownDirection(limit: string) {
  const description = `Most that may change at once, in percent: ${limit}; 0 forbids.`;
  return { limitPercent: { ...reference('quantity'), description }, ...delays };
}

/** The fields of a direction that only an AutoscalingPolicy has. */
export const ownDirections = {
  scaleUp: ownDirection('at least 0'),
  scaleDown: ownDirection('at least 0, below 100'),
} as const;

/** `spec.behavior`. */
export const behaviorSchemas = {
  'autoscaling/v2': nullable(
    map({ scaleUp: nullable(map(hpaDirection)), scaleDown: nullable(map(hpaDirection)) }),
  ),
  native: nullable(
    map({
      scaleUp: nullable(map({ ...hpaDirection, ...ownDirections.scaleUp })),
      scaleDown: nullable(map({ ...hpaDirection, ...ownDirections.scaleDown })),
    }),
  ),
} as const;
