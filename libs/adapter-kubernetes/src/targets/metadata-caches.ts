import type { ReplicasWriter } from '#reconciliation';
import { kindKey, type KindName } from '../api/kind-name.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { CacheListener } from '../informer/object-cache.ts';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { replicasWriterOf } from '../objects/field-managers.ts';
import { type OwnerObject, slimOwner } from './workload.ts';

/** An object's metadata: what it is as an owner, and which version of it was seen. */
export interface WatchedMetadata extends OwnerObject {
  readonly resourceVersion: string;
  /** Who wrote its replicas; absent for a kind of which that is not kept. */
  readonly writer?: ReplicasWriter;
}

/** A kind, and where its objects are listed. */
export interface WatchedKind extends KindName {
  /** `/apis/apps/v1` */
  readonly groupPath: string;
  /** The plural. */
  readonly resource: string;
  /** Whether the writer of the replicas is kept: for targets. */
  readonly keepsWriter: boolean;
}

/** Called after every change of an object of a watched kind. */
export type MetadataListener = (
  kind: KindName,
  change: Parameters<CacheListener<WatchedMetadata>>[0],
) => void;

/** Kinds of which metadata alone is watched, each once, whether for owners of pods, for targets, or for both. */
export class MetadataCaches {
  readonly #options: WatchOptions;
  readonly #caches = new Map<string, WatchedCache<WatchedMetadata>>();
  readonly #listeners = new Set<MetadataListener>();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** The cache of a kind that is watched; undefined for other kinds. */
  of(kind: KindName): WatchedCache<WatchedMetadata> | undefined {
    return this.#caches.get(kindKey(kind));
  }

  /** Adds a kind; the caller starts its cache. */
  add({ apiVersion, kind, groupPath, resource, keepsWriter }: WatchedKind): WatchedCache<WatchedMetadata> {
    const cache = new WatchedCache<WatchedMetadata>(this.#options, {
      groupPath,
      resource,
      representation: 'Metadata',
      transform: (object) => slimMetadata(object, { apiVersion, kind, keepsWriter }),
      versionOf: ({ resourceVersion }) => resourceVersion,
      listener: (change) => {
        for (const listener of this.#listeners) listener({ apiVersion, kind }, change);
      },
    });
    this.#caches.set(kindKey({ apiVersion, kind }), cache);
    return cache;
  }

  /** Calls the listener with every change from now on. */
  subscribe(listener: MetadataListener): void {
    this.#listeners.add(listener);
  }

  values(): readonly WatchedCache<WatchedMetadata>[] {
    return [...this.#caches.values()];
  }
}

function slimMetadata(
  object: KubeObject,
  kind: KindName & Pick<WatchedKind, 'keepsWriter'>,
): WatchedMetadata {
  const { resourceVersion } = object;
  const writer = kind.keepsWriter ? replicasWriterOf(object.metadata) : undefined;
  return { ...slimOwner(object, kind), resourceVersion, ...(writer !== undefined && { writer }) };
}
