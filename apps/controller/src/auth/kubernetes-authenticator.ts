import { createHash } from 'node:crypto';
import type { KubernetesReviews, ReviewedUser } from '#adapter-kubernetes';
import { externalName, type Grant, type Principal, type Role } from './principal.ts';

/** How long an answer of the API server counts, and how long a refusal does. */
const knownMilliseconds = 60_000;
const refusedMilliseconds = 10_000;

/** Tokens that are remembered; beyond them the one that was asked about the longest ago is asked about again. */
const maximumRemembered = 1_000;

/** Tokens that are asked about at a time: strangers must not keep the API server busy. */
const maximumReviews = 8;

/** Beyond them a namespace is known by the grant of all namespaces alone. */
const maximumNamespaces = 500;

/** Access reviews of one token at a time. */
const maximumQuestions = 16;

/** The verbs on `policies.plimsoll.dev` that make the roles, from the highest. */
const verbs = [
  ['administer', 'admin'],
  ['approve', 'approver'],
  ['operate', 'operator'],
  ['get', 'viewer'],
] as const;

export interface KubernetesAuthenticatorOptions {
  readonly reviews: Pick<KubernetesReviews, 'userOf' | 'isAllowed'>;
  /** Empty: those of the API server itself. */
  readonly audiences: readonly string[];
  /** The namespaces that there is anything to see of. */
  readonly namespaces: () => readonly string[];
  /** Monotonic, in milliseconds. For tests. */
  readonly now?: () => number;
}

interface Remembered {
  readonly until: number;
  readonly principal: Promise<Principal | undefined>;
}

/**
 * Recognises tokens of the cluster: whose one is, a TokenReview says, and SubjectAccessReviews what the user may do. What
 * the API server said counts for a minute. A user has no address, so approvals go by `unknownApprovers`.
 */
export class KubernetesAuthenticator {
  readonly #options: KubernetesAuthenticatorOptions;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();
  #underWay = 0;

  constructor(options: KubernetesAuthenticatorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The caller that a token of the cluster is; undefined: none, or the API server did not answer. */
  authenticate(token: string): Promise<Principal | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    const known = this.#remembered.get(key);
    if (known !== undefined && this.#now() < known.until) return known.principal;
    if (this.#underWay >= maximumReviews) return Promise.resolve(undefined);
    const principal = this.#review(token);
    this.#remember(key, { until: this.#now() + knownMilliseconds, principal });
    void principal.then((found) => {
      if (found === undefined) this.#remember(key, { until: this.#now() + refusedMilliseconds, principal });
    });
    return principal;
  }

  #remember(key: string, remembered: Remembered): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, remembered);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maximumRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }

  async #review(token: string): Promise<Principal | undefined> {
    this.#underWay += 1;
    try {
      const { reviews, audiences } = this.#options;
      const user = await reviews.userOf(token, audiences);
      if (user === null) return undefined;
      return { name: externalName('kubernetes', user.username), grants: await this.#grantsOf(user) };
    } catch {
      return undefined;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #grantsOf(user: ReviewedUser): Promise<readonly Grant[]> {
    const everywhere = await this.#roleIn(user, null);
    if (everywhere === 'admin') return [{ role: everywhere, namespaces: ['*'] }];
    const namespaces = [...new Set(this.#options.namespaces())].toSorted().slice(0, maximumNamespaces);
    const found: Grant[] = everywhere === null ? [] : [{ role: everywhere, namespaces: ['*'] }];
    for (let start = 0; start < namespaces.length; start += maximumQuestions) {
      const some = namespaces.slice(start, start + maximumQuestions);
      const ownRoles = await Promise.all(some.map((namespace) => this.#roleIn(user, namespace)));
      for (const [index, role] of ownRoles.entries()) {
        const namespace = some[index];
        if (role !== null && role !== everywhere && namespace !== undefined)
          found.push({ role, namespaces: [namespace] });
      }
    }
    return found;
  }

  /** The verbs build on one another: who may not get may nothing, and one refusal ends the questions. */
  async #roleIn(user: ReviewedUser, namespace: string | null): Promise<Role | null> {
    let found: Role | null = null;
    for (const [verb, role] of verbs.toReversed()) {
      if (!(await this.#options.reviews.isAllowed(user, { verb, namespace }))) return found;
      found = role;
    }
    return found;
  }
}
