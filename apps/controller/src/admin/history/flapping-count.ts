import { namespacedName } from '#kernel';
import type { EntryOf, PolicyKey } from '#ledger';

/** A policy whose count went up and down. */
export interface FlappingPolicy {
  readonly policy: PolicyKey;
  /** How often a change went the other way than the one before it. */
  readonly reversals: number;
  readonly changes: number;
  readonly lowest: number;
  readonly highest: number;
}

type Counted = { -readonly [Name in keyof FlappingPolicy]: FlappingPolicy[Name] } & {
  /** Of the change that was counted last; 0: there was none. */
  direction: number;
};

/** Counts how often counts of policies went the other way, of changes in their order or against it. */
export class FlappingCount {
  readonly #policies = new Map<string, Counted>();

  add({ payload: { policy, from, to } }: EntryOf<'ScalingEvent'>): void {
    const counted = this.#of(policy);
    const direction = Math.sign(to - from);
    if (counted.direction * direction < 0) counted.reversals += 1;
    if (direction !== 0) counted.direction = direction;
    counted.changes += 1;
    counted.lowest = Math.min(counted.lowest, from, to);
    counted.highest = Math.max(counted.highest, from, to);
  }

  /** Those with at least so many reversals, those with the most first. */
  list(reversals: number): readonly FlappingPolicy[] {
    return [...this.#policies.values()]
      .filter((policy) => policy.reversals >= reversals)
      .toSorted((left, right) => right.reversals - left.reversals)
      .map(({ policy, reversals: count, changes, lowest, highest }) => ({
        policy,
        reversals: count,
        changes,
        lowest,
        highest,
      }));
  }

  #of({ namespace, name }: PolicyKey): Counted {
    const key = namespacedName({ namespace, name });
    const counted = this.#policies.get(key) ?? {
      policy: { namespace, name },
      reversals: 0,
      changes: 0,
      lowest: Number.POSITIVE_INFINITY,
      highest: Number.NEGATIVE_INFINITY,
      direction: 0,
    };
    this.#policies.set(key, counted);
    return counted;
  }
}
