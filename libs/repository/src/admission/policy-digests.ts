import { canonicalJson } from '#kernel';
import { type EffectivePolicy, toNativeDocument } from '#policy';

/**
 * Short names of what policies say, each worked out once: a set of ten thousand is compared and named by them, and not by
 * their texts, which would be some fifty megabytes at a time.
 */
export class PolicyDigests {
  readonly #digest: (text: string) => string;
  readonly #known = new WeakMap<EffectivePolicy, string>();

  /** `digest` gives a stable name for a text: SHA-256 in hex. */
  constructor(digest: (text: string) => string) {
    this.#digest = digest;
  }

  /** Of everything that a policy says, its name included. */
  of(policy: EffectivePolicy): string {
    const known = this.#known.get(policy);
    if (known !== undefined) return known;
    const found = this.#digest(canonicalJson(toNativeDocument(policy)));
    this.#known.set(policy, found);
    return found;
  }

  /** Works out those that are not known, one a step. */
  *inSteps(policies: Iterable<EffectivePolicy>): Generator<void, void, void> {
    for (const policy of policies) {
      if (this.#known.has(policy)) continue;
      this.of(policy);
      yield;
    }
  }

  /** Of a set, whatever its order. */
  ofSet(policies: readonly EffectivePolicy[]): string {
    return this.#digest(
      policies
        .map((policy) => this.of(policy))
        .sort()
        .join(','),
    );
  }
}
