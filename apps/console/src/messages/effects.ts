import { actions } from './actions.ts';
import { countText } from './count-text.ts';

/** The texts of what a commit or an action does to policies. */
export const effects = {
  count: (replicas: number | null) => (replicas === null ? actions.unknownCount : countText(replicas)),
  /** `2 fewer` */
  difference: (replicas: number) =>
    replicas < 0 ? `${countText(-replicas)} fewer` : `${countText(replicas)} more`,
  stays: (replicas: number | null) =>
    replicas === null ? 'count not known' : `stays at ${countText(replicas)}`,
  bounds: (bounds: string) => `bounds ${bounds}`,
  comes: 'new, bounds ',
  leaves: 'gone',
  team: (team: string) => `team ${team}`,
  showAll: (count: number) => `Show all ${countText(count)} policies`,
  notNamed: (count: number) => `${countText(count)} more are not named here; the commit has them.`,
  /** The first thing to read of what a commit does. */
  atOnce: ({ present, then, changing, later }: EffectSum) =>
    changing === 0
      ? `No count changes at once${later === 0 ? '' : `, but ${changesLater(later)}`}`
      : `${countText(present)} → ${countText(then)} replicas at once, in ${policies(changing)}`,
  others: ({ changing, staying, unknown, later }: EffectSum) =>
    [
      ...(staying === 0 || changing === 0
        ? []
        : [`${policies(staying)} ${staying === 1 ? 'keeps its' : 'keep their'} count`]),
      ...(later === 0 || changing === 0 ? [] : [changesLater(later)]),
      ...(unknown === 0 ? [] : [`the count of ${policies(unknown)} is not known`]),
    ].join('; '),
} as const;

/** What happens to counts at once, of all policies that an action or a commit is about. */
export interface EffectSum {
  /** Replicas of those whose count changes at once, before and after. */
  readonly present: number;
  readonly then: number;
  /** Policies whose count changes at once. */
  readonly changing: number;
  /** Policies whose count stays. */
  readonly staying: number;
  /** Policies of which the present count is not known. */
  readonly unknown: number;
  /** Policies whose count changes later on, when something that stands now ends. */
  readonly later: number;
}

function changesLater(count: number): string {
  return `the count of ${policies(count)} changes later`;
}

function policies(count: number): string {
  return count === 1 ? '1 policy' : `${countText(count)} policies`;
}
