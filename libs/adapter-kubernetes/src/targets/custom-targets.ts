import type { ReplicasWriter, ScaleState, ScaleTarget } from '#reconciliation';
import type { KindAbsences } from '../api/kind-absences.ts';
import { kindKey } from '../api/kind-name.ts';
import type { RestMapper, RestMapping } from '../api/rest-mapper.ts';
import type { InformerStatus } from '../informer/informer.ts';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { replicasWriterOf } from '../objects/field-managers.ts';
import { isAtLeast } from '../objects/resource-version.ts';
import { type ReplicaChangeFeed, replicaChangeOf } from './replica-change-feed.ts';
import type { ScaleReader } from './scale-reader.ts';
import { targetKey } from './target-key.ts';

/** What is kept of a target's metadata: enough to know when its scale must be read again, and whose change it was. */
interface TargetMetadata {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly writer: ReplicasWriter | undefined;
}

/** What the custom targets are made from. */
export interface CustomTargetsOptions {
  readonly context: WatchOptions;
  readonly absences: KindAbsences;
  readonly mapper: RestMapper;
  readonly reader: ScaleReader;
  readonly feed: ReplicaChangeFeed;
}

/** Kinds beyond Deployment and StatefulSet that policies target; more than this are read live each time. */
const maximumKinds = 50;
const maximumScales = 50_000;
/** Versions in a row that one refresh follows; an object that changes faster is read at its next pass. */
const maximumReads = 5;

/**
 * Scales of any other kind. Where a custom resource keeps its count is the server's secret, so its metadata is watched, and
 * the scale is read again when the version changes: API calls grow with changes, not with passes.
 */
export class CustomTargets {
  readonly #options: CustomTargetsOptions;
  readonly #kinds = new Map<string, WatchedCache<TargetMetadata>>();
  readonly #scales = new Map<string, ScaleState>();
  readonly #refreshing = new Set<string>();

  constructor(options: CustomTargetsOptions) {
    this.#options = options;
  }

  /** The scale, where a live watch says that it has not changed since it was read. */
  cached(target: ScaleTarget): ScaleState | undefined {
    const metadata = this.#metadataOf(target);
    const scale = this.#scales.get(targetKey(target));
    if (metadata === undefined || scale === undefined || scale.uid !== metadata.uid) return undefined;
    return isAtLeast(scale.resourceVersion, metadata.resourceVersion) ? scale : undefined;
  }

  /** Reads the scale now, and watches its kind from then on. @throws AdapterError */
  async read(target: ScaleTarget): Promise<ScaleState> {
    this.#options.absences.noteTarget(target);
    const mapping = await this.#options.mapper.mappingOf(target.apiVersion, target.kind);
    if (mapping.isNamespaced) this.#watch(mapping);
    const metadata = this.#metadataOf(target);
    const { reader } = this.#options;
    if (metadata === undefined) return this.remember(target, await reader.readWithWriter(target));
    const scale = await reader.read(target);
    const { writer } = this.#metadataOf(target) ?? metadata;
    return this.remember(target, writer === undefined ? scale : { ...scale, writer });
  }

  /** Takes note of a scale that was read or written, and tells of the change if it is one. */
  remember(target: ScaleTarget, scale: ScaleState): ScaleState {
    const key = targetKey(target);
    const before = this.#scales.get(key);
    if (before?.uid === scale.uid && !isAtLeast(scale.resourceVersion, before.resourceVersion)) return scale;
    if (this.#scales.size >= maximumScales && before === undefined) this.#scales.clear();
    this.#scales.set(key, scale);
    const { feed, context } = this.#options;
    const change = replicaChangeOf(target, { before, after: scale, now: context.timing.now() });
    if (change !== undefined) feed.publish(change);
    return scale;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#kinds.values()].map((cache) => cache.stop()));
  }

  get statuses(): readonly InformerStatus[] {
    return [...this.#kinds.values()].flatMap((cache) => cache.statuses);
  }

  #metadataOf(target: ScaleTarget): TargetMetadata | undefined {
    const cache = this.#kinds.get(kindKey(target));
    if (cache?.trustOf(target.namespace).isTrusted !== true) return undefined;
    return cache.get(target.namespace, target.name);
  }

  #watch(mapping: RestMapping): void {
    const key = kindKey(mapping);
    if (this.#kinds.has(key) || this.#kinds.size >= maximumKinds) return;
    const { apiVersion, kind, groupPath, resource } = mapping;
    const cache = new WatchedCache<TargetMetadata>(this.#options.context, {
      groupPath,
      resource,
      representation: 'Metadata',
      transform: ({ uid, resourceVersion, metadata }) => ({
        uid,
        resourceVersion,
        writer: replicasWriterOf(metadata),
      }),
      listener: ({ after, namespace, name }) => {
        if (after !== undefined) void this.#refresh({ apiVersion, kind, namespace, name });
      },
    });
    this.#kinds.set(key, cache);
    cache.start();
  }

  /** Reads a scale again that somebody asked for before; versions that come while it is read are one more read. */
  async #refresh(target: ScaleTarget): Promise<void> {
    const key = targetKey(target);
    if (this.#refreshing.has(key)) return;
    this.#refreshing.add(key);
    try {
      for (let reads = 0; reads < maximumReads && this.#isBehind(target); reads += 1) await this.read(target);
    } catch {
      // The next pass reads it anyway, and sees the change then.
    } finally {
      this.#refreshing.delete(key);
    }
  }

  #isBehind(target: ScaleTarget): boolean {
    const metadata = this.#metadataOf(target);
    return this.#scales.has(targetKey(target)) && metadata !== undefined && this.cached(target) === undefined;
  }
}
