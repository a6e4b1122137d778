import type { EffectSum } from '../../messages/effects.ts';
import type { PolicyEffectPartsFragment } from './action-effect.generated.ts';

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
