import type { PolicyEffectPartsFragment } from './action-effect.generated.ts';

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

type Effect = Pick<PolicyEffectPartsFragment, 'direction' | 'present' | 'then' | 'later'>;

/** Sums up what is known. */
export function sumEffects(effects: readonly Effect[]): EffectSum {
  const changing = effects.filter(isChanging);
  const unknown = effects.filter(({ direction }) => direction === 'Unknown').length;
  return {
    present: total(changing.map(({ present }) => present)),
    then: total(changing.map(({ then }) => then?.replicas)),
    changing: changing.length,
    staying: effects.length - changing.length - unknown,
    unknown,
    later: effects.filter(({ later }) => later.length > 0).length,
  };
}

/** Those whose count changes at once come first; each part keeps its order. */
export function changingFirst<T extends Effect>(effects: readonly T[]): readonly T[] {
  return [...effects.filter(isChanging), ...effects.filter((effect) => !isChanging(effect))];
}

function isChanging({ direction }: Effect): boolean {
  return direction === 'Up' || direction === 'Down';
}

function total(counts: readonly (number | null | undefined)[]): number {
  return counts.reduce((sum: number, count) => sum + (count ?? 0), 0);
}
