import { canonicalJson } from '#kernel';
import { type EffectivePolicy, toNativeDocument } from '#policy';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { identityKey } from './in-force.ts';

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

  /**
   * Of a set, whatever its order: what its policies come to, and the defaults and guardrails in force beside them, which
   * act on what comes later, too.
   */
  ofSet(policies: readonly EffectivePolicy[], documents: readonly RepositoryDocument[]): string {
    const beside = documents
      .filter(({ role }) => role !== 'Policy')
      .map((document) => this.#ofDocument(document));
    return this.#digest([...policies.map((policy) => this.of(policy)), ...beside].sort().join(','));
  }

  #ofDocument(document: RepositoryDocument): string {
    return this.#digest(canonicalJson({ identity: identityKey(document), value: document.value }));
  }
}
