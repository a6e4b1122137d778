import { type Json, type NamespacedName, namespacedName, shortText } from '#kernel';
import { comparePolicies, type EffectivePolicy, type FieldChange } from '#policy';

/** How many targets are new, differ, or are gone. */
export interface DifferenceCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** What would change of what is in force if a hold, and nothing else, were out of the way. */
export interface HoldEffect extends DifferenceCounts {
  /** At most 200, sorted: `shop/a new`, `shop/b gone`, `shop/c changed: maxReplicas 20 → 5`. */
  readonly policies: readonly string[];
  /** The same policies in the same order, as data; absent: a hold of an earlier release's. */
  readonly changes?: readonly PolicyChange[];
}

/** A policy that a hold is about. */
export interface PolicyChange {
  /** What is in force under the same target; null: nothing is. */
  readonly before: NamespacedName | null;
  /** Null: it leaves. */
  readonly after: PolicyOutline | null;
  /**
   * What differs, at most 5 and how many more: `maxReplicas 20 → 5`. Of a policy that gets another target, and so is new
   * there, what differs from the one of its name that leaves: `scaleTargetRef.name api → web`.
   */
  readonly fields: readonly string[];
  /** Of a policy that leaves: whether its HPA is kept. Absent: not known, of a hold of an earlier release's, or it stays. */
  readonly keepsHpa?: boolean;
}

/** What of a policy says how many replicas its target may have, and whose it is: the state of a source keeps no more of it. */
export type PolicyOutline = Pick<
  EffectivePolicy,
  | 'namespace'
  | 'name'
  | 'target'
  | 'actuation'
  | 'enabled'
  | 'replicas'
  | 'dryRun'
  | 'minReplicas'
  | 'maxReplicas'
  | 'schedules'
  | 'freezes'
  | 'labels'
>;

/** A target whose effective values differ, that is new, or that is gone. */
export interface PolicyDifference {
  readonly before?: EffectivePolicy;
  readonly after?: EffectivePolicy;
  /** Of one that is gone: whether its HPA is kept. */
  readonly keepsHpa?: boolean;
}

/** A person reads no more, and a source's state holds them. */
const maximumPolicies = 200;

/** Of one policy; the rest is in the diff of the commit. */
const maximumFields = 5;

/** Sums differences up. Pure. */
export function holdEffect(differences: readonly PolicyDifference[]): HoldEffect {
  const leaving = new Map(
    differences.flatMap(({ before, after }) =>
      before === undefined || after !== undefined ? [] : [[namespacedName(before), before]],
    ),
  );
  const named = differences
    .toSorted((one, other) => compareTexts(describeDifference(one), describeDifference(other)))
    .slice(0, maximumPolicies)
    .map((difference) => ({ difference, fields: describeFields(retargeted(difference, leaving)) }));
  return {
    ...countDifferences(differences),
    policies: named.map(describeEffect),
    changes: named.map(policyChange),
  };
}

export function countDifferences(differences: readonly PolicyDifference[]): DifferenceCounts {
  const words = differences.map(differenceWord);
  const count = (word: DifferenceWord): number => words.filter((each) => each === word).length;
  return { added: count('new'), changed: count('changed'), removed: count('gone') };
}

/** `3 changed and 1 gone`: what there is none of is not named; `none` where there is nothing. */
export function describeCounts({ added, changed, removed }: DifferenceCounts): string {
  const named = [
    [added, 'new'],
    [changed, 'changed'],
    [removed, 'gone'],
  ] as const;
  const parts = named.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));
  const [last = 'none', ...others] = parts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

/** `shop/checkout changed` */
export function describeDifference(difference: PolicyDifference): string {
  return `${nameOf(difference)} ${differenceWord(difference)}`;
}

type DifferenceWord = 'new' | 'changed' | 'gone';

function differenceWord({ before, after }: PolicyDifference): DifferenceWord {
  if (before === undefined) return 'new';
  return after === undefined ? 'gone' : 'changed';
}

/** A policy that gets another target is there twice: the order must not depend on which comes first. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function nameOf({ before, after }: PolicyDifference): string {
  const policy = after ?? before;
  return policy === undefined ? '' : namespacedName(policy);
}

/** A policy that gets another target is new there, and what differs is told against the one that leaves under its name. */
function retargeted(
  difference: PolicyDifference,
  leaving: ReadonlyMap<string, EffectivePolicy>,
): PolicyDifference {
  const { before, after } = difference;
  if (before !== undefined || after === undefined) return difference;
  const left = leaving.get(namespacedName(after));
  return left === undefined ? difference : { before: left, after };
}

interface NamedDifference {
  readonly difference: PolicyDifference;
  readonly fields: readonly string[];
}

function describeEffect({ difference, fields }: NamedDifference): string {
  const what = describeDifference(difference);
  return fields.length === 0 ? what : `${what}: ${fields.join(', ')}`;
}

function policyChange({ difference: { before, after, keepsHpa }, fields }: NamedDifference): PolicyChange {
  return {
    before: before === undefined ? null : { namespace: before.namespace, name: before.name },
    after: after === undefined ? null : outlineOf(after),
    fields,
    ...(keepsHpa === undefined ? {} : { keepsHpa }),
  };
}

function outlineOf(policy: EffectivePolicy): PolicyOutline {
  const { namespace, name, target, actuation, enabled, dryRun, minReplicas, maxReplicas } = policy;
  const { replicas, schedules, freezes, labels } = policy;
  const kept = { namespace, name, target, actuation, enabled, dryRun, minReplicas, maxReplicas };
  return { ...kept, schedules, freezes, labels, ...(replicas === undefined ? {} : { replicas }) };
}

function describeFields({ before, after }: PolicyDifference): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const fields = comparePolicies(before, after);
  const shown = fields.slice(0, maximumFields).map(describeField);
  return fields.length > maximumFields ? [...shown, `and ${fields.length - maximumFields} more`] : shown;
}

function describeField({ path, before, after }: FieldChange): string {
  return `${path} ${textOf(before)} → ${textOf(after)}`;
}

const shownCharacters = 100;

function textOf(value: Json | undefined): string {
  if (value === undefined) return 'none';
  return shortText(typeof value === 'string' ? value : JSON.stringify(value), shownCharacters);
}
