import type { BehaviorRules, DirectionRules, RatePolicy } from '../model/behavior.ts';
import { type Fields, type Item, readMap } from '../reading/fields.ts';
import type { NameShape } from '../reading/json-text.ts';
import {
  behaviorSchemas,
  hpaDirection,
  maximumRatePolicies,
  ownDirections,
  ratePolicySchema,
  selectPolicies,
} from '../schema/behavior.ts';
import { type Dialect, fieldsOf } from '../schema/parts.ts';
import { defaultForbiddenSeconds } from '../schema/watermark-pod-autoscaler.ts';
import { readTolerance } from './tolerance.ts';
import { readLimit } from './velocity.ts';

const directions = ['scaleUp', 'scaleDown'] as const;
/** One of the two directions of a behaviour. */
export type DirectionName = (typeof directions)[number];

const behaviorFields = fieldsOf(behaviorSchemas.native);
const hpaFields = Object.keys(hpaDirection);
const ratePolicyFields = fieldsOf(ratePolicySchema);

const directionShape: NameShape = {
  map: {
    stabilizationWindowSeconds: 'any',
    selectPolicy: 'any',
    policies: { list: { map: { type: 'any', value: 'any', periodSeconds: 'any' } } },
    tolerance: 'any',
  },
};

/** The names inside the `behavior` annotation of autoscaling/v1. */
export const behaviorShape: NameShape = { map: { scaleUp: directionShape, scaleDown: directionShape } };

/** Which fields a behaviour may have: autoscaling/v2's, or ours beside them. */
export type BehaviorDialect = Dialect;

/** A behaviour as written, nothing filled in. */
export interface WrittenBehavior {
  readonly scaleUp: DirectionRules;
  readonly scaleDown: DirectionRules;
  /** Whether a field of autoscaling/v2 is written in either direction. */
  readonly hasHpaField: boolean;
  /** Our own fields that are written, by direction: what a rendered HPA cannot say. */
  readonly ownFields: readonly { readonly direction: DirectionName; readonly field: string }[];
}

/** Reads `spec.behavior` as written; `undefined` where it is absent or no map. */
export function readBehavior(spec: Fields, dialect: BehaviorDialect): WrittenBehavior | undefined {
  const behavior = spec.map('behavior', behaviorFields);
  return behavior === undefined ? undefined : readDirections(behavior, dialect);
}

/** Reads the two directions of a behaviour's map. */
export function readDirections(behavior: Fields, dialect: BehaviorDialect): WrittenBehavior {
  const known = behaviorSchemas[dialect].properties;
  const scaleUp = behavior.map('scaleUp', fieldsOf(known.scaleUp));
  const scaleDown = behavior.map('scaleDown', fieldsOf(known.scaleDown));
  const written = { scaleUp, scaleDown };
  return {
    scaleUp: readDirection(scaleUp, 'scaleUp', dialect),
    scaleDown: readDirection(scaleDown, 'scaleDown', dialect),
    hasHpaField: directions.some((direction) => hpaFields.some((field) => written[direction]?.has(field))),
    ownFields: directions.flatMap((direction) =>
      Object.keys(ownDirections[direction])
        .filter((field) => written[direction]?.has(field))
        .map((field) => ({ direction, field })),
    ),
  };
}

function readDirection(
  fields: Fields | undefined,
  direction: DirectionName,
  dialect: BehaviorDialect,
): DirectionRules {
  if (fields === undefined) return {};
  const rules = readHpaRules(fields);
  return dialect === 'native' ? { ...rules, ...readOwnRules(fields, direction) } : rules;
}

function readHpaRules(fields: Fields): DirectionRules {
  const stabilizationWindowSeconds = fields.int32(
    'stabilizationWindowSeconds',
    hpaDirection.stabilizationWindowSeconds,
  );
  const selectPolicy = fields.word('selectPolicy', selectPolicies);
  const policies = readPolicies(fields);
  const tolerance = readTolerance(fields, 'tolerance');
  return {
    ...(stabilizationWindowSeconds !== undefined && { stabilizationWindowSeconds }),
    ...(selectPolicy !== undefined && { selectPolicy }),
    ...(policies !== undefined && { policies }),
    ...(tolerance !== undefined && { tolerance }),
  };
}

function readOwnRules(fields: Fields, direction: DirectionName): DirectionRules {
  const own = ownDirections[direction];
  const limitMilliPercent = readLimit(fields, 'limitPercent', { direction, form: 'Number' });
  const forbiddenWindowSeconds = fields.int32('forbiddenWindowSeconds', own.forbiddenWindowSeconds);
  const delaySeconds = fields.int32('delaySeconds', own.delaySeconds);
  return {
    ...(limitMilliPercent !== undefined && { limitMilliPercent }),
    ...(forbiddenWindowSeconds !== undefined && { forbiddenWindowSeconds }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
}

function readPolicies(fields: Fields): readonly RatePolicy[] | undefined {
  const items = fields.list('policies', maximumRatePolicies);
  const written = fields.raw('policies');
  if (Array.isArray(written) && written.length === 0) {
    const hint = 'leave policies out for the defaults; selectPolicy: Disabled forbids the direction';
    fields.report('policies', { code: 'Required', message: 'policies must have at least one item', hint });
    return undefined;
  }
  return items?.map(readPolicy).filter((policy) => policy !== undefined);
}

function readPolicy(item: Item): RatePolicy | undefined {
  const fields = readMap(item, ratePolicyFields);
  if (fields === undefined) return undefined;
  const known = ratePolicySchema.properties;
  const type = fields.requires('type') ? fields.word('type', known.type.enum) : undefined;
  const value = fields.requires('value') ? fields.int32('value', known.value) : undefined;
  const periodSeconds = fields.requires('periodSeconds')
    ? fields.int32('periodSeconds', known.periodSeconds)
    : undefined;
  if (type === undefined || value === undefined || periodSeconds === undefined) return undefined;
  return { type, value, periodSeconds };
}

/**
 * autoscaling/v2's defaults, of each direction where anything of it is left out.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Defaults"
 */
const hpaDefaults: Readonly<Record<DirectionName, DirectionRules>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  // The window stays open: the controller's own downscale window fills it in when it decides.
  scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
};

/** The behaviour of a policy of the HPA family: nothing where none is set, else both directions filled in. */
export function hpaBehavior(written: WrittenBehavior | undefined, isSet: boolean): BehaviorRules {
  const { scaleUp = {}, scaleDown = {} } = written ?? {};
  if (!isSet) return { isSet, scaleUp, scaleDown };
  return {
    isSet,
    scaleUp: { ...hpaDefaults.scaleUp, ...scaleUp },
    scaleDown: { ...hpaDefaults.scaleDown, ...scaleDown },
  };
}

/**
 * Velocity and windows of the watermark family where they are left out.
 *
 * @see docs/spec/watermark-rules.md "Fields and defaults"
 */
export const watermarkDefaults: Readonly<Record<DirectionName, DirectionRules>> = {
  scaleUp: {
    limitMilliPercent: 50_000n,
    forbiddenWindowSeconds: defaultForbiddenSeconds.scaleUp,
    delaySeconds: 0,
  },
  scaleDown: {
    limitMilliPercent: 20_000n,
    forbiddenWindowSeconds: defaultForbiddenSeconds.scaleDown,
    delaySeconds: 0,
  },
};

/** The behaviour of the watermark family: its own limits filled in, the HPA's only where they are written. */
export function watermarkBehavior(written: WrittenBehavior | undefined): BehaviorRules {
  return {
    isSet: written?.hasHpaField ?? false,
    scaleUp: { ...watermarkDefaults.scaleUp, ...written?.scaleUp },
    scaleDown: { ...watermarkDefaults.scaleDown, ...written?.scaleDown },
  };
}
