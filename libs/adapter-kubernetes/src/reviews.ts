import type { Json } from '#kernel';
import type { ApiClient } from './api/api-client.ts';

/** A user as the API server knows it. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a user may be allowed to do with policies; `null`: in all namespaces. */
export interface ReviewedAccess {
  readonly verb: 'get' | 'operate' | 'approve' | 'administer';
  readonly namespace: string | null;
}

/** Asks the API server who somebody is and what they may do. It changes nothing, so it is asked while only observing, too. */
export class KubernetesReviews {
  readonly #client: Pick<ApiClient, 'json'>;

  constructor(client: Pick<ApiClient, 'json'>) {
    this.#client = client;
  }

  /** Whose a bearer token is, for one of the audiences (none: the API server's own); null: nobody's. @throws AdapterError */
  async userOf(token: string, audiences: readonly string[]): Promise<ReviewedUser | null> {
    const review = await this.#create('/apis/authentication.k8s.io/v1/tokenreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) },
    });
    const user = objectOf(review['user']);
    const { username } = user;
    if (review['authenticated'] !== true || typeof username !== 'string' || username === '') return null;
    // A server that does not know audiences says nothing of them, and has not looked.
    if (audiences.length > 0 && !textsOf(review['audiences']).some((each) => audiences.includes(each)))
      return null;
    const extra = Object.entries(objectOf(user['extra'])).map(([key, value]) => [key, textsOf(value)]);
    return {
      username,
      uid: typeof user['uid'] === 'string' ? user['uid'] : '',
      groups: textsOf(user['groups']),
      extra: Object.fromEntries(extra) as ReviewedUser['extra'],
    };
  }

  /** Whether the API server's authorizers allow it, on `policies` of `plimsoll.dev`. @throws AdapterError */
  async isAllowed(user: ReviewedUser, { verb, namespace }: ReviewedAccess): Promise<boolean> {
    const { username, uid, groups, extra } = user;
    const review = await this.#create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: username,
        uid,
        groups: [...groups],
        extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
        resourceAttributes: {
          group: 'plimsoll.dev',
          resource: 'policies',
          verb,
          ...(namespace === null ? {} : { namespace }),
        },
      },
    });
    return review['allowed'] === true && review['denied'] !== true;
  }

  async #create(path: string, body: Json): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#client.json({ method: 'POST', path, body });
    return objectOf(objectOf(answer)['status']);
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}
