import type { BehaviorRules, DirectionRules, RatePolicy } from '../model/behavior.ts';
import { type Fields, fieldSet, type Item, readMap } from '../reading/fields.ts';
import type { NameShape } from '../reading/json-text.ts';
import { readTolerance } from '../reading/quantities.ts';
import { readLimit } from './velocity.ts';

const directions = ['scaleUp', 'scaleDown'] as const;
/** One of the two directions of a behaviour. */
export type DirectionName = (typeof directions)[number];

const behaviorFields = fieldSet(...directions);
const hpaFields = ['stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance'] as const;
const ownFields = ['limitPercent', 'forbiddenWindowSeconds', 'delaySeconds'] as const;
const hpaDirectionFields = fieldSet(...hpaFields);
const nativeDirectionFields = fieldSet(...hpaFields, ...ownFields);
const ratePolicyFields = fieldSet('type', 'value', 'periodSeconds');

/** Longest window and period that autoscaling/v2 takes. */
const windowMaximum = 3600;
const periodMaximum = 1800;

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
export type BehaviorDialect = 'autoscaling/v2' | 'native';

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
  const known = dialect === 'native' ? nativeDirectionFields : hpaDirectionFields;
  const scaleUp = behavior.map('scaleUp', known);
  const scaleDown = behavior.map('scaleDown', known);
  const written = { scaleUp, scaleDown };
  return {
    scaleUp: readDirection(scaleUp, 'scaleUp', dialect),
    scaleDown: readDirection(scaleDown, 'scaleDown', dialect),
    hasHpaField: directions.some((direction) => hpaFields.some((field) => written[direction]?.has(field))),
    ownFields: directions.flatMap((direction) =>
      ownFields.filter((field) => written[direction]?.has(field)).map((field) => ({ direction, field })),
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
  const stabilizationWindowSeconds = fields.int32('stabilizationWindowSeconds', {
    min: 0,
    max: windowMaximum,
  });
  const selectPolicy = fields.word('selectPolicy', ['Max', 'Min', 'Disabled']);
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
  const limitMilliPercent = readLimit(fields, 'limitPercent', { direction, form: 'Number' });
  const forbiddenWindowSeconds = fields.int32('forbiddenWindowSeconds', { min: 0 });
  const delaySeconds = fields.int32('delaySeconds', { min: 0 });
  return {
    ...(limitMilliPercent !== undefined && { limitMilliPercent }),
    ...(forbiddenWindowSeconds !== undefined && { forbiddenWindowSeconds }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
}

function readPolicies(fields: Fields): readonly RatePolicy[] | undefined {
  const items = fields.list('policies');
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
  const type = fields.requires('type') ? fields.word('type', ['Pods', 'Percent']) : undefined;
  const value = fields.requires('value') ? fields.int32('value', { min: 1 }) : undefined;
  const period = { min: 1, max: periodMaximum };
  const periodSeconds = fields.requires('periodSeconds') ? fields.int32('periodSeconds', period) : undefined;
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
  scaleUp: { limitMilliPercent: 50_000n, forbiddenWindowSeconds: 60, delaySeconds: 0 },
  scaleDown: { limitMilliPercent: 20_000n, forbiddenWindowSeconds: 300, delaySeconds: 0 },
};

/** The behaviour of the watermark family: its own limits filled in, the HPA's only where they are written. */
export function watermarkBehavior(written: WrittenBehavior | undefined): BehaviorRules {
  return {
    isSet: written?.hasHpaField ?? false,
    scaleUp: { ...watermarkDefaults.scaleUp, ...written?.scaleUp },
    scaleDown: { ...watermarkDefaults.scaleDown, ...written?.scaleDown },
  };
}
