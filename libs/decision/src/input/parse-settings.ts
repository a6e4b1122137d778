import { err, type JsonObject, ok, type Result } from '#kernel';
import { defaultSettings, type Settings } from '../model/settings.ts';
import {
  below,
  type Check,
  checkOf,
  count,
  type Fault,
  fault,
  flag,
  isRecord,
  nonNegative,
  orNull,
} from './check.ts';

type Checks = Readonly<Record<string, Check>>;

const secondsOrNull = checkOf(orNull(count.schema), (value) => (value === null ? null : count(value)));
const fields: Checks = {
  tolerance: nonNegative,
  downscaleStabilizationSeconds: count,
  cpuInitializationPeriodSeconds: count,
  initialReadinessDelaySeconds: count,
  maximumSampleAgeSeconds: secondsOrNull,
  maximumFutureSeconds: secondsOrNull,
  legacyScaleUpLimit: strictObject({ factor: nonNegative, minimum: nonNegative }),
  featureGates: strictObject({
    SelectionStrategy: flag,
    ScaleToZero: flag,
    ConfigurableTolerance: flag,
    PodLevelResources: flag,
  }),
};
const settings = strictObject(fields);

/** The JSON Schema of settings. */
export const settingsSchema: JsonObject = settings.schema;

/**
 * Reads settings, filling in the shipped values. Null is not the same as absent: it means "no limit" for the
 * sample age and the future, and is an error for the others. Unknown keys are ignored.
 */
export function parseSettings(value: unknown): Result<Settings, Fault> {
  if (value === undefined) return ok(defaultSettings);
  const wrong = settings(value);
  if (wrong !== null || !isCheckedSettings(value)) return err(wrong ?? fault(value, 'settings'));
  return ok({
    ...known(defaultSettings, value),
    legacyScaleUpLimit: known(defaultSettings.legacyScaleUpLimit, value.legacyScaleUpLimit),
    featureGates: known(defaultSettings.featureGates, value.featureGates),
  });
}

interface WrittenSettings extends Partial<Omit<Settings, 'legacyScaleUpLimit' | 'featureGates'>> {
  readonly legacyScaleUpLimit?: Partial<Settings['legacyScaleUpLimit']>;
  readonly featureGates?: Partial<Settings['featureGates']>;
}

function isCheckedSettings(value: unknown): value is WrittenSettings {
  return isRecord(value);
}

/** An object whose fields may be absent, but not null. */
function strictObject(checks: Checks): Check {
  const properties = Object.fromEntries(Object.entries(checks).map(([name, { schema }]) => [name, schema]));
  return checkOf({ type: 'object', properties }, (value) => {
    if (!isRecord(value)) return fault(value, 'an object');
    for (const name of Object.keys(checks)) {
      const item = value[name];
      const found = item === undefined ? null : (checks[name]?.(item) ?? null);
      if (found !== null) return below(name, found);
    }
    return null;
  });
}

/** The defaults with what was written in their place, in the defaults' order. */
function known<T extends object>(defaults: T, written: object = {}): T {
  const result = { ...defaults };
  for (const [name, value] of Object.entries(written))
    if (Object.hasOwn(defaults, name)) Object.assign(result, { [name]: value as unknown });
  return result;
}
