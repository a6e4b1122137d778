import { Cron } from 'croner';
import { messageOf } from '#kernel';
import type { FreezeSpec, ScheduleSpec } from '../model/effective-policy.ts';
import { type Fields, type Item, maximumInt32, readMap } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { hasPlaceholder, placeholderLeft } from '../reading/placeholder.ts';
import { showValue } from '../reading/show-value.ts';
import {
  autoscalingPolicySpec,
  freezeSchema,
  scheduleSchema,
  windowRule,
} from '../schema/autoscaling-policy.ts';
import { fieldsOf } from '../schema/parts.ts';
import { readDuration } from './durations.ts';
import { dnsLabelFault } from './names.ts';

const cronFields = 5;

const scheduleFields = fieldsOf(scheduleSchema);
const freezeFields = fieldsOf(freezeSchema);

/** What the policy's own bounds are, and whether a schedule may bring them to 0. */
export interface ScheduleContext {
  readonly minReplicas: number | undefined;
  readonly maxReplicas: number | undefined;
  readonly mayBeZero: boolean;
}

/** Both kinds of window. */
export interface ReadWindows {
  readonly schedules: readonly ScheduleSpec[];
  readonly freezes: readonly FreezeSpec[];
}

/** Reads `spec.schedules` and `spec.freeze`; their names are unique over both. */
export function readWindows(spec: Fields, context: ScheduleContext): ReadWindows {
  const names = new Set<string>();
  return {
    schedules: readList(spec, 'schedules', (item) => readSchedule(item, names, context)),
    freezes: readList(spec, 'freeze', (item) => readFreeze(item, names)),
  };
}

function readList<T>(
  spec: Fields,
  name: 'schedules' | 'freeze',
  read: (item: Item) => T | undefined,
): readonly T[] {
  const items = spec.list(name, autoscalingPolicySpec.properties[name].maxItems) ?? [];
  return items.map(read).filter((each) => each !== undefined);
}

function readSchedule(item: Item, names: Set<string>, context: ScheduleContext): ScheduleSpec | undefined {
  const fields = readMap(item, scheduleFields);
  if (fields === undefined) return undefined;
  const window = readWindow(fields, names);
  const bounds = readOwnBounds(fields, context);
  if (window === undefined) return undefined;
  const { minReplicas, maxReplicas } = bounds;
  return {
    ...window,
    ...(minReplicas !== undefined && { minReplicas }),
    ...(maxReplicas !== undefined && { maxReplicas }),
  };
}

function readOwnBounds(fields: Fields, context: ScheduleContext): OwnBounds {
  const known = scheduleSchema.properties;
  const minReplicas = fields.int32('minReplicas', context.mayBeZero ? known.minReplicas : { minimum: 1 });
  const maxReplicas = fields.int32('maxReplicas', known.maxReplicas);
  if (!fields.has('minReplicas') && !fields.has('maxReplicas'))
    fields.missing('minReplicas', 'or maxReplicas');
  if (minReplicas !== undefined && maxReplicas !== undefined && maxReplicas < minReplicas) {
    const message = `maxReplicas must be at least minReplicas (${minReplicas}), is ${maxReplicas}`;
    fields.report('maxReplicas', { code: 'OutOfRange', message });
  }
  const bounds = { minReplicas, maxReplicas };
  warnCrossing(fields, bounds, context);
  return bounds;
}

interface OwnBounds {
  readonly minReplicas: number | undefined;
  readonly maxReplicas: number | undefined;
}

/** A bound that crosses the policy's other bound, which the schedule leaves as it is. */
function warnCrossing(fields: Fields, own: OwnBounds, policy: OwnBounds): void {
  const { minReplicas = 0, maxReplicas = maximumInt32 } = own;
  if (own.maxReplicas === undefined && minReplicas > (policy.maxReplicas ?? maximumInt32)) {
    const message = `minReplicas ${minReplicas} is above the policy's maxReplicas (${String(policy.maxReplicas)}), which wins`;
    fields.report('minReplicas', { severity: 'warning', code: 'CrossingBounds', message });
  }
  if (own.minReplicas === undefined && maxReplicas < (policy.minReplicas ?? 0)) {
    const message = `maxReplicas ${maxReplicas} is below the policy's minReplicas (${String(policy.minReplicas)}), and wins`;
    fields.report('maxReplicas', { severity: 'warning', code: 'CrossingBounds', message });
  }
}

function readFreeze(item: Item, names: Set<string>): FreezeSpec | undefined {
  const fields = readMap(item, freezeFields);
  if (fields === undefined) return undefined;
  const window = readWindow(fields, names);
  fields.requires('direction', 'Up, Down or Both');
  const direction = fields.word('direction', freezeSchema.properties.direction.enum);
  return window === undefined || direction === undefined ? undefined : { ...window, direction };
}

type Window = Pick<ScheduleSpec, 'name' | 'cron' | 'timeZone' | 'durationSeconds'>;

function readWindow(fields: Fields, names: Set<string>): Window | undefined {
  const name = readName(fields, 'name', dnsLabelFault);
  if (name !== undefined && names.has(name)) {
    const message = `name ${showValue(name)} is already a schedule's or freeze's of this policy`;
    fields.report('name', { code: 'DuplicateName', message });
  }
  if (name !== undefined) names.add(name);
  const cron = readCron(fields);
  const timeZone = readTimeZone(fields);
  const durationSeconds = readDuration(fields, 'duration', windowRule);
  fields.requires('duration', `${windowRule.min} to ${windowRule.max}`);
  if (name === undefined || cron === undefined || timeZone === undefined || durationSeconds === undefined)
    return undefined;
  return { name, cron, timeZone, durationSeconds };
}

function readCron(fields: Fields): string | undefined {
  const cron = fields.requiredString('cron');
  if (cron === undefined) return undefined;
  const fault = cronFault(cron);
  if (fault === undefined) return cron;
  const finding = { code: 'InvalidValue', message: `cron ${fault}, is ${showValue(cron)}` } as const;
  fields.report('cron', hasPlaceholder(cron) ? placeholderLeft('cron', cron) : finding);
  return undefined;
}

const cronFault = remembered((cron) => {
  if (cron.trim().split(/\s+/).length !== cronFields)
    return 'must have five fields: minute, hour, day of month, month, day of week';
  try {
    new Cron(cron, { paused: true, mode: '5-part' });
  } catch (error) {
    return `is no schedule (${messageOf(error).replace(/^\w+: /, '')})`;
  }
  const days = cron.trim().split(/\s+/).slice(2).join(' ');
  return hasDays(days) ? undefined : 'fires on no day of the calendar';
});

/** Whether the days that the last three fields name exist. To find none takes a search of all years. */
const hasDays = remembered((days) => {
  const midnights = new Cron(`0 0 ${days}`, { paused: true, mode: '5-part', timezone: 'UTC' });
  return midnights.nextRun(anyTime) !== null;
});

/** The calendar repeats, so it does not matter from where on a day is looked for. */
const anyTime = '2000-01-01T00:00:00Z';

function readTimeZone(fields: Fields): string | undefined {
  const timeZone = fields.requiredString('timeZone');
  if (timeZone === undefined || isTimeZone(timeZone)) return timeZone;
  const message = `timeZone must be a name of the IANA database, is ${showValue(timeZone)}`;
  const finding = { code: 'InvalidValue', message, hint: 'such as UTC or Europe/Berlin' } as const;
  fields.report('timeZone', hasPlaceholder(timeZone) ? placeholderLeft('timeZone', timeZone) : finding);
  return undefined;
}

const isTimeZone = remembered((name) => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
});

/** A fleet uses few schedules and time zones, and looking one up is slow. */
const rememberedMaximum = 1000;

function remembered<T>(look: (text: string) => T): (text: string) => T {
  const found = new Map<string, { readonly value: T }>();
  return (text) => {
    const known = found.get(text);
    if (known !== undefined) return known.value;
    const value = look(text);
    if (found.size < rememberedMaximum) found.set(text, { value });
    return value;
  };
}
