import type { AdapterError } from '#kernel';
import type { ApiClient } from '../api/api-client.ts';
import { NamespaceScopes, type WatchedNamespaces } from '../api/namespace-scopes.ts';
import type { Timing } from '../time/timing.ts';
import { Informer, type InformerStatus } from './informer.ts';
import { type KeptForm, ObjectCache } from './object-cache.ts';
import type { WatchLog } from './watch-log.ts';
import type { Representation } from './watched-resource.ts';

/** What all caches of one cluster have in common. */
export interface WatchOptions {
  readonly client: ApiClient;
  readonly namespaces: WatchedNamespaces;
  readonly timing: Timing;
  readonly log: WatchLog;
}

/** A namespaced kind, and what is kept of its objects. */
export interface CachedKind<T> extends KeptForm<T> {
  /** `/api/v1`, `/apis/apps/v1` */
  readonly groupPath: string;
  /** The plural: `pods` */
  readonly resource: string;
  readonly representation: Representation;
}

/** Whether a cache is known to be current. */
export type CacheTrust =
  { readonly isTrusted: true } | { readonly isTrusted: false; readonly message: string };

const trusted: CacheTrust = { isTrusted: true };

/** A working watch is heard of every 45 s at least; an outage is longer than this. */
const trustMilliseconds = 60_000;

interface Scope<T> {
  readonly cache: ObjectCache<T>;
  readonly informer: Informer;
}

/** The slim cache of one kind in all watched namespaces, with the informers that feed it. */
export class WatchedCache<T> {
  readonly #scopes: NamespaceScopes<Scope<T>>;
  readonly #timing: Timing;
  readonly #resource: string;

  constructor({ client, namespaces, timing, log }: WatchOptions, kind: CachedKind<T>) {
    this.#timing = timing;
    this.#resource = kind.resource;
    this.#scopes = new NamespaceScopes(namespaces, (namespace) => {
      const cache = new ObjectCache(kind);
      const resource = {
        name: namespace === undefined ? kind.resource : `${kind.resource} in ${namespace}`,
        path: collectionPath(kind, namespace),
        representation: kind.representation,
      };
      return { cache, informer: new Informer({ client, resource, sink: cache, timing, log }) };
    });
  }

  start(): void {
    for (const { informer } of this.#scopes.values()) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#scopes.values().map(({ informer }) => informer.stop()));
  }

  /**
   * Resolves when every watched namespace has been listed, but for those that a Role refuses to us: policies elsewhere
   * need not wait for them. At least one must be listed. The caller bounds the wait.
   */
  async whenSynced(): Promise<void> {
    const informers = this.#scopes.values().map(({ informer }) => informer);
    await Promise.all(informers.map((informer) => informer.whenAnswered()));
    await Promise.any(informers.map((informer) => informer.whenSynced()));
  }

  /** What {@link whenSynced} waits for. */
  get unlisted(): readonly InformerStatus[] {
    const isAnyListed = this.statuses.some(({ isSynced }) => isSynced);
    return this.statuses.filter(
      ({ isSynced, refusedSince }) => !isSynced && !(isAnyListed && refusedSince !== undefined),
    );
  }

  get statuses(): readonly InformerStatus[] {
    return this.#scopes.values().map(({ informer }) => informer.status);
  }

  get size(): number {
    return this.#scopes.values().reduce((sum, { cache }) => sum + cache.size, 0);
  }

  /** Whether the cache is current for the namespace; if not, why, in a sentence. */
  trustOf(namespace: string): CacheTrust {
    const scope = this.#scopes.of(namespace);
    if (scope === undefined) return { isTrusted: false, message: `namespace ${namespace} is not watched` };
    const { isSynced, freshAt, lastFailure } = scope.informer.status;
    if (!isSynced || freshAt === undefined)
      return { isTrusted: false, message: `${this.#resource} are not listed yet${reason(lastFailure)}` };

    const silentMilliseconds = this.#timing.elapsed() - freshAt;
    if (silentMilliseconds <= trustMilliseconds) return trusted;
    const seconds = Math.round(silentMilliseconds / 1000);
    const message = `nothing has been heard of ${this.#resource} for ${seconds} s${reason(lastFailure)}`;
    return { isTrusted: false, message };
  }

  get(namespace: string, name: string): T | undefined {
    return this.#scopes.of(namespace)?.cache.get(namespace, name);
  }

  values(namespace: string): Iterable<T> {
    return this.#scopes.of(namespace)?.cache.values(namespace) ?? [];
  }
}

function collectionPath(
  { groupPath, resource }: { readonly groupPath: string; readonly resource: string },
  namespace: string | undefined,
): string {
  return namespace === undefined
    ? `${groupPath}/${resource}`
    : `${groupPath}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

function reason(failure: AdapterError | undefined): string {
  return failure === undefined ? '' : ` (${failure.message})`;
}
