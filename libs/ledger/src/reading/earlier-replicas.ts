import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { LedgerEntry } from '../entries/entry.ts';
import { timeNanoseconds } from '../entries/entry-time.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { EntryCursor } from '../ports/cursor.ts';
import { type LedgerPort, maximumPageLimit } from '../ports/ledger.port.ts';

/** So far back lowering steps count as one: longer than an incident is sat out, shorter than a day's load. */
export const stepWindowSeconds = 3_600;

/** Pages of a policy's window that are read; what is recorded beyond them is not known. */
const maximumPages = 5;

/** Clocks of replicas differ by less: a change of the count so shortly before a step may be what came of it. */
const clockDifferenceMilliseconds = 5_000;

/** The count that overrides and commits have lowered since, in steps. */
export interface EarlierReplicas {
  /** Null: more was recorded than is read. */
  readonly replicas: number | null;
  /** When the step came that lowered it, or from when on it is not known, RFC 3339. */
  readonly at: string;
}

/** Whose count was lowered. */
export interface LoweredPolicy {
  readonly policy: PolicyKey;
  /** Replicas of its target now. */
  readonly present: number;
  /** RFC 3339: steps since then count, inclusive. */
  readonly since: string;
}

/**
 * Finds the highest count at which an override or a change of the policy's document let its target fall below what ran;
 * what metrics took is no step. Null: no step lowered the target from more than its present count.
 *
 * @throws AdapterError where the database fails
 */
export async function loadEarlierReplicas(
  ledger: Pick<LedgerPort, 'entries'>,
  { policy, present, since }: LoweredPolicy,
): Promise<EarlierReplicas | null> {
  const from = timeNanoseconds(since);
  const entries: LedgerEntry[] = [];
  let after: EntryCursor | undefined;
  for (let page = 0; page < maximumPages; page += 1) {
    const { items, hasMore } = await ledger.entries({
      ...{ policy, kinds: ['OperatorAction', 'PolicyChange', 'ScalingEvent'], order: 'NewestFirst' },
      ...(from === null ? {} : { from }),
      limit: maximumPageLimit,
      ...(after === undefined ? {} : { after }),
    });
    entries.push(...items.map(({ entry }) => entry));
    after = items.at(-1)?.cursor;
    if (!hasMore || after === undefined) return highestLowered(entries, present);
  }
  return { replicas: null, at: since };
}

interface Step {
  /** The lowest count that it lets the target fall to. */
  readonly low: number;
  readonly at: string;
  /** What ran when it came. */
  replicas: number;
}

/** @param entries newest first */
function highestLowered(entries: readonly LedgerEntry[], present: number): EarlierReplicas | null {
  const steps: Step[] = [];
  let replicas = present;
  for (const entry of entries) {
    if (entry.kind === 'ScalingEvent') {
      replicas = entry.payload.from;
      raiseRecent(steps, { replicas, time: Date.parse(entry.time) });
      continue;
    }
    const low = lowOf(entry);
    if (low !== null) steps.push({ low, at: entry.time, replicas });
  }
  const lowering = steps.filter((step) => step.low < step.replicas && step.replicas > present);
  const [first, ...others] = lowering.map(({ replicas: ran, at }) => ({ replicas: ran, at }));
  if (first === undefined) return null;
  return others.reduce((best, step) => (step.replicas >= best.replicas ? step : best), first);
}

function raiseRecent(
  steps: readonly Step[],
  { replicas, time }: { readonly replicas: number; readonly time: number },
): void {
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index];
    if (step === undefined || Date.parse(step.at) - time > clockDifferenceMilliseconds) return;
    step.replicas = Math.max(step.replicas, replicas);
  }
}

function lowOf(entry: LedgerEntry): number | null {
  if (entry.kind === 'PolicyChange') return lowOfChange(entry.payload.before, entry.payload.after);
  if (entry.kind !== 'OperatorAction') return null;
  const { action, outcome, effect, arguments: given } = entry.payload;
  if (action !== 'OverrideReplicas' || outcome === 'Refused') return null;
  const [of] = listIn(effect, 'policies');
  const [now, then] = [objectIn(of, 'now'), objectIn(of, 'then')];
  const counts =
    then === undefined
      ? ['replicas', 'minReplicas', 'maxReplicas'].map((name) => numberIn(given, name))
      : [
          numberIn(then, 'pin'),
          ...['minReplicas', 'maxReplicas'].map((name) =>
            isLess(numberIn(then, name), numberIn(now, name)) ? numberIn(then, name) : undefined,
          ),
        ];
  return lowest(counts);
}

/** What may take replicas away by itself, where it is less than before, or new. */
function lowOfChange(before: JsonObject | null, after: JsonObject | null): number | null {
  const [old, bounds] = [upperBoundsIn(before), upperBoundsIn(after)];
  const oldMaximum = numberIn(objectIn(before, 'spec'), 'maxReplicas');
  return lowest([...bounds].map(([name, to]) => (isLess(to, old.get(name) ?? oldMaximum) ? to : undefined)));
}

function upperBoundsIn(document: JsonObject | null): ReadonlyMap<string, number> {
  const spec = objectIn(document, 'spec');
  const scheduled = listIn(spec, 'schedules').map((schedule): readonly [string, number | undefined] => [
    `schedule ${textIn(schedule, 'name')}`,
    numberIn(schedule, 'maxReplicas'),
  ]);
  const bounds: readonly (readonly [string, number | undefined])[] =
    spec?.['enabled'] === false
      ? [['replicas', numberIn(spec, 'replicas')]]
      : [['maxReplicas', numberIn(spec, 'maxReplicas')], ...scheduled];
  return new Map(bounds.flatMap(([name, bound]) => (bound === undefined ? [] : [[name, bound]])));
}

function lowest(counts: readonly (number | undefined)[]): number | null {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

function isLess(count: number | undefined, bound: number | undefined): boolean {
  return count !== undefined && (bound === undefined || count < bound);
}

function objectIn(value: Json | undefined, name: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : undefined;
}

function listIn(value: Json | undefined, name: string): readonly Json[] {
  const found = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

function textIn(value: Json, name: string): string {
  const found = isJsonObject(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
}

function numberIn(value: Json | undefined, name: string): number | undefined {
  const found = isJsonObject(value) ? value[name] : undefined;
  return typeof found === 'number' ? found : undefined;
}
