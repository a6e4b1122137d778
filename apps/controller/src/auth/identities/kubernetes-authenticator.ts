import { createHash } from 'node:crypto';
import type { KubernetesReviews, ReviewedUser } from '#adapter-kubernetes';
import { AdapterError } from '#kernel';
import { ProblemError } from '../../http/problem-error.ts';
import { externalName, type Grant, type Principal, type Role } from '../callers/principal.ts';
import { tooManyFailures, unanswered } from '../callers/refusal-problems.ts';
import { ReviewPauses } from './review-pauses.ts';
import { ReviewPlaces } from './review-places.ts';

/** How long an answer of the API server counts, and how long a refusal does. */
const knownMilliseconds = 60_000;
const refusedMilliseconds = 10_000;

/**
 * Tokens that are remembered of each answer, so that refused ones displace none that was accepted; beyond them the one that
 * was asked about the longest ago is forgotten.
 */
const maximumRemembered = 1_000;

/** Beyond them a namespace is known by the grant of all namespaces alone. */
const maximumNamespaces = 500;

/** That tokens cannot be checked is told this often at most: every request may find it out. */
const tellMilliseconds = 60_000;

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
  /** Hears, once a minute at most, why tokens cannot be checked. */
  readonly onUnanswered?: (reason: string) => void;
  /** Monotonic, in milliseconds. For tests. */
  readonly now?: () => number;
  /** For tests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

interface Accepted {
  readonly until: number;
  readonly principal: Principal;
}

/** Who brings a token. */
export interface TokenBearer {
  /** Others of its address were refused so often that it may not have the API server asked about a new token. */
  readonly isSuspect: boolean;
}

/**
 * Recognises tokens of the cluster: whose one is, a TokenReview says, and SubjectAccessReviews what the user may do. What
 * the API server said counts for a minute, and where it says nothing, a token is neither accepted nor refused. A user has no
 * address, so approvals go by `unknownApprovers`.
 */
export class KubernetesAuthenticator {
  readonly #options: KubernetesAuthenticatorOptions;
  readonly #now: () => number;
  /** By the SHA-256 of the token. Kept beyond its minute: it says that the token is no stranger's guess. */
  readonly #accepted = new Map<string, Accepted>();
  /** Until when a token counts as refused. */
  readonly #refused = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Principal | undefined>>();
  readonly #places: ReviewPlaces;
  /** Of tokens that were accepted before, and of others: what a stranger sends may be what gets no answer. */
  readonly #pauses: Readonly<Record<'known' | 'unknown', ReviewPauses>>;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: KubernetesAuthenticatorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#places = new ReviewPlaces(options.wait);
    this.#pauses = { known: new ReviewPauses(this.#now), unknown: new ReviewPauses(this.#now) };
  }

  /**
   * The caller that a token of the cluster is; undefined: none.
   *
   * @throws ProblemError where it is not known: `Unavailable` where the API server does not answer, or is asked about too many
   *   others; `TooManyFailures` for a suspect with a token that was not accepted before
   */
  async authenticate(
    token: string,
    { isSuspect }: TokenBearer = { isSuspect: false },
  ): Promise<Principal | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    const accepted = this.#accepted.get(key);
    if (accepted !== undefined && this.#now() < accepted.until) return accepted.principal;
    if (this.#now() < (this.#refused.get(key) ?? 0)) return undefined;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    if (isSuspect && accepted === undefined) throw new ProblemError(tooManyFailures);
    const asking = this.#ask(key, token).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asking);
    return asking;
  }

  async #ask(key: string, token: string): Promise<Principal | undefined> {
    const isKnown = this.#accepted.has(key);
    const pauses = this.#pauses[isKnown ? 'known' : 'unknown'];
    pauses.requireNone();
    const review = (): Promise<Principal | undefined> => pauses.run(() => this.#review(token));
    const principal = await this.#places.run(isKnown, review).catch((error: unknown) => this.#refuse(error));
    const now = this.#now();
    if (principal === undefined) {
      this.#accepted.delete(key);
      remember(this.#refused, key, now + refusedMilliseconds);
    } else {
      this.#refused.delete(key);
      remember(this.#accepted, key, { until: now + knownMilliseconds, principal });
    }
    return principal;
  }

  /** That the API server did not answer, or would not, says nothing of the token. */
  #refuse(error: unknown): never {
    if (!(error instanceof AdapterError)) throw error;
    if (this.#now() - this.#toldAt >= tellMilliseconds) {
      this.#toldAt = this.#now();
      this.#options.onUnanswered?.(error.message);
    }
    throw new ProblemError(unanswered);
  }

  async #review(token: string): Promise<Principal | undefined> {
    const { reviews, audiences } = this.#options;
    const user = await reviews.userOf(token, audiences);
    if (user === null) return undefined;
    return { name: externalName('kubernetes', user.username), grants: await this.#grantsOf(user) };
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

function remember<T>(remembered: Map<string, T>, key: string, value: T): void {
  remembered.delete(key);
  remembered.set(key, value);
  const [oldest] = remembered.keys();
  if (remembered.size > maximumRemembered && oldest !== undefined) remembered.delete(oldest);
}
