import { err, ok, type Result } from '#kernel';
import { defaultSettings, type Settings } from '../model/settings.ts';
import { below, count, fault, flag, isRecord, nonNegative, type Check, type Fault } from './check.ts';

type Checks = Readonly<Record<string, Check>>;

const legacyLimit: Checks = { factor: nonNegative, minimum: nonNegative };
const gates: Checks = {
  SelectionStrategy: flag,
  ScaleToZero: flag,
  ConfigurableTolerance: flag,
  PodLevelResources: flag,
};
const fields: Checks = {
  tolerance: nonNegative,
  downscaleStabilizationSeconds: count,
  cpuInitializationPeriodSeconds: count,
  initialReadinessDelaySeconds: count,
  maximumSampleAgeSeconds: (value) => (value === null ? null : count(value)),
  legacyScaleUpLimit: (value) => checkFields(value, legacyLimit),
  featureGates: (value) => checkFields(value, gates),
};

/**
 * Reads settings, filling in the shipped values. Unlike elsewhere null is no absence here: it means "no limit" for the
 * sample age, and is wrong for the others. Keys that nobody named are ignored.
 */
export function parseSettings(value: unknown): Result<Settings, Fault> {
  if (value === undefined) return ok(defaultSettings);
  const wrong = checkFields(value, fields);
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

/** Says what the checks have established. */
function isCheckedSettings(value: unknown): value is WrittenSettings {
  return isRecord(value);
}

function checkFields(value: unknown, checks: Checks): Fault | null {
  if (!isRecord(value)) return fault(value, 'an object');
  for (const [name, check] of Object.entries(checks)) {
    const item = value[name];
    const found = item === undefined ? null : check(item);
    if (found !== null) return below(name, found);
  }
  return null;
}

/** The defaults with what was written in their place, in the defaults' order. */
function known<T extends object>(defaults: T, written: object = {}): T {
  const result = { ...defaults };
  for (const [name, value] of Object.entries(written))
    if (Object.hasOwn(defaults, name)) Object.assign(result, { [name]: value as unknown });
  return result;
}
