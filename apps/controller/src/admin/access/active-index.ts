import { namespacedName } from '#kernel';
import type { ActivePolicy } from '#reconciliation';
import { mayAct, type Principal, visibleNamespaces } from '../../auth/callers/principal.ts';

/** A policy in force under `namespace/name`. */
export interface KeyedPolicy {
  readonly key: string;
  readonly active: ActivePolicy;
}

/** Scopes of callers whose lists are kept, of a pointer per policy each. */
const maximumScopes = 50;

/** What is looked up in a list of policies in force; each part is made when it is first asked for. */
export class ActiveIndex {
  readonly #policies: readonly ActivePolicy[];
  #sorted: readonly KeyedPolicy[] | undefined;
  #byKey: ReadonlyMap<string, ActivePolicy> | undefined;
  #namespaces: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** By what callers may view. */
  readonly #visible = new Map<string, readonly KeyedPolicy[]>();

  constructor(policies: readonly ActivePolicy[]) {
    this.#policies = policies;
  }

  /** By their keys, as code units compare. */
  get sorted(): readonly KeyedPolicy[] {
    this.#sorted ??= [...this.#keyed()].sort((left, right) => (left.key < right.key ? -1 : 1));
    return this.#sorted;
  }

  /** Those that a caller may view, by their keys. */
  visibleTo(caller: Principal): readonly KeyedPolicy[] {
    const scope = visibleNamespaces(caller, 'viewer');
    if (scope.kind === 'All') return this.sorted;
    const key = scope.patterns.join();
    const visible =
      this.#visible.get(key) ??
      this.sorted.filter(({ active }) => mayAct(caller, 'viewer', active.policy.namespace));
    this.#visible.set(key, visible);
    const [oldest] = this.#visible.keys();
    if (this.#visible.size > maximumScopes && oldest !== undefined) this.#visible.delete(oldest);
    return visible;
  }

  get byKey(): ReadonlyMap<string, ActivePolicy> {
    this.#byKey ??= new Map(this.#keyed().map(({ key, active }) => [key, active]));
    return this.#byKey;
  }

  /** The namespaces that policies of a source live in, by source. */
  get namespaces(): ReadonlyMap<string, ReadonlySet<string>> {
    this.#namespaces ??= namespacesBySource(this.#policies);
    return this.#namespaces;
  }

  #keyed(): readonly KeyedPolicy[] {
    return this.#sorted ?? this.#policies.map((active) => ({ key: namespacedName(active.policy), active }));
  }
}

const indexes = new WeakMap<readonly ActivePolicy[], ActiveIndex>();

/**
 * The index of a list of policies, made once per list: one query of a caller looks up hundreds of policies among ten
 * thousand, and what is in force is another list whenever it changes.
 */
export function indexOfActive(policies: readonly ActivePolicy[]): ActiveIndex {
  const known = indexes.get(policies);
  if (known !== undefined) return known;
  const made = new ActiveIndex(policies);
  indexes.set(policies, made);
  return made;
}

function namespacesBySource(policies: readonly ActivePolicy[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { policy, origin } of policies) {
    const known = found.get(origin.source);
    if (known === undefined) found.set(origin.source, new Set([policy.namespace]));
    else known.add(policy.namespace);
  }
  return found;
}
