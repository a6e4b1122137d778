import { type Json, namespacedName } from '#kernel';
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
}

/** A target whose effective values differ, that is new, or that is gone. */
export interface PolicyDifference {
  readonly before?: EffectivePolicy;
  readonly after?: EffectivePolicy;
}

/** A person reads no more, and a source's state holds them. */
const maximumPolicies = 200;

/** Of one policy; the rest is in the diff of the commit. */
const maximumFields = 5;

/** Sums differences up. Pure. */
export function holdEffect(differences: readonly PolicyDifference[]): HoldEffect {
  return {
    ...countDifferences(differences),
    policies: differences
      .toSorted((one, other) => compareTexts(describeDifference(one), describeDifference(other)))
      .slice(0, maximumPolicies)
      .map(describeEffect),
  };
}

export function countDifferences(differences: readonly PolicyDifference[]): DifferenceCounts {
  const words = differences.map(differenceWord);
  const count = (word: DifferenceWord): number => words.filter((each) => each === word).length;
  return { added: count('new'), changed: count('changed'), removed: count('gone') };
}

/** `1 new, 3 changed and 1 gone` */
export function describeCounts({ added, changed, removed }: DifferenceCounts): string {
  return `${added} new, ${changed} changed and ${removed} gone`;
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

function describeEffect(difference: PolicyDifference): string {
  const { before, after } = difference;
  const what = describeDifference(difference);
  if (before === undefined || after === undefined) return what;
  const fields = comparePolicies(before, after);
  const shown = fields.slice(0, maximumFields).map(describeField);
  const others = fields.length > maximumFields ? [`and ${fields.length - maximumFields} more`] : [];
  return shown.length === 0 ? what : `${what}: ${[...shown, ...others].join(', ')}`;
}

function describeField({ path, before, after }: FieldChange): string {
  return `${path} ${textOf(before)} → ${textOf(after)}`;
}

const shownCharacters = 100;

function textOf(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
