import type { ScaleState, ScaleTarget } from '#reconciliation';
import type { KindAbsences } from '../api/kind-absences.ts';
import { kindKey } from '../api/kind-name.ts';
import type { RestMapper, RestMapping } from '../api/rest-mapper.ts';
import { isAtLeast } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import type { MetadataCaches, WatchedMetadata } from './metadata-caches.ts';
import type { ReachedScales } from './reached-scales.ts';
import type { ReplicaChangeFeed } from './replica-change-feed.ts';
import type { ScaleReader } from './scale-reader.ts';
import { targetKey } from './target-key.ts';

/** A scale that was read or written here. */
interface KnownScale {
  readonly scale: ScaleState;
  /** When, in milliseconds of `Timing.elapsed`. */
  readonly at: number;
  /** From when on it is read again, in the same. */
  readonly rereadAt: number;
}

export interface CustomTargetsOptions {
  readonly metadata: MetadataCaches;
  readonly timing: Timing;
  readonly absences: KindAbsences;
  readonly mapper: RestMapper;
  readonly reader: ScaleReader;
  readonly feed: ReplicaChangeFeed;
  readonly reached: ReachedScales;
}

/** Kinds beyond Deployment and StatefulSet that policies target; more than this are read live each time. */
const maximumKinds = 50;
const maximumScales = 50_000;
/**
 * For so long a scale that was read or written here is believed although it is ahead of the watch; a watch that lags
 * longer is not trusted, so the server has gone back: it was restored from a backup.
 */
export const catchUpMilliseconds = 60_000;
/**
 * After this long at the latest, and half of it at the soonest, a scale is read again although its object has not changed:
 * a definition may name another field for the count in the meantime, and no version of the object says so. Not all at once.
 */
const rereadMilliseconds = 600_000;
/** Versions in a row that one refresh follows; an object that changes faster is read at its next pass. */
const maximumReads = 5;

/**
 * Scales of any other kind. Only the server knows in which field a custom resource keeps its count, so its metadata is
 * watched, and the scale is read again when the version changes: API calls grow with changes, not with passes.
 */
export class CustomTargets {
  readonly #options: CustomTargetsOptions;
  /** Kinds that are targets, by key. */
  readonly #kinds = new Set<string>();
  readonly #scales = new Map<string, KnownScale>();
  readonly #refreshing = new Set<string>();

  constructor(options: CustomTargetsOptions) {
    this.#options = options;
    options.metadata.subscribe((kind, { after, namespace, name }) => {
      if (after === undefined || !this.#kinds.has(kindKey(kind))) return;
      void this.#refresh({ ...kind, namespace, name });
    });
  }

  /** The scale, where a live watch says that its object has not changed since it was read, some minutes ago at most. */
  cached(target: ScaleTarget): ScaleState | undefined {
    const metadata = this.#metadataOf(target);
    const known = this.#scales.get(targetKey(target));
    if (metadata === undefined || known?.scale.uid !== metadata.uid) return undefined;
    if (this.#options.timing.elapsed() >= known.rereadAt) return undefined;
    const { scale } = known;
    if (scale.resourceVersion === metadata.resourceVersion) {
      this.#options.reached.noteWatched(target, metadata.resourceVersion);
      return scale;
    }
    return isAtLeast(scale.resourceVersion, metadata.resourceVersion) && this.#isRecent(known)
      ? scale
      : undefined;
  }

  /** Reads the scale now, and watches its kind from then on. @throws AdapterError */
  async read(target: ScaleTarget): Promise<ScaleState> {
    this.#options.absences.noteTarget(target);
    const mapping = await this.#options.mapper.mappingOf(target.apiVersion, target.kind);
    if (mapping.isNamespaced) this.#watch(mapping);
    const metadata = this.#metadataOf(target);
    const { reader, reached } = this.#options;
    const watched = this.#options.metadata.of(target)?.get(target.namespace, target.name);
    const floor = reached.floorOf(target, watched?.resourceVersion);
    const scale = await (metadata?.writer === undefined
      ? reader.readWithWriter(target)
      : reader.read(target));
    reached.judge(target, scale.resourceVersion, floor);
    if (metadata?.writer === undefined) return this.remember(target, scale);
    const { writer = metadata.writer } = this.#metadataOf(target) ?? metadata;
    return this.remember(target, { ...scale, writer });
  }

  /** Stores a scale that was read or written, and publishes the change of its count, if any. */
  remember(target: ScaleTarget, scale: ScaleState): ScaleState {
    const key = targetKey(target);
    const { feed, timing, reached } = this.#options;
    reached.note(target, scale.resourceVersion);
    const known = this.#scales.get(key);
    const before = known?.scale;
    const isOlder = before?.uid === scale.uid && !isAtLeast(scale.resourceVersion, before.resourceVersion);
    if (isOlder && known !== undefined && this.#isRecent(known)) return scale;
    if (this.#scales.size >= maximumScales && known === undefined) this.#scales.clear();
    const at = timing.elapsed();
    this.#scales.set(key, { scale, at, rereadAt: at + rereadMilliseconds * (1 - timing.random() / 2) });
    feed.publish(target, { before, after: scale, now: timing.now() });
    return scale;
  }

  #isRecent({ at }: KnownScale): boolean {
    return this.#options.timing.elapsed() - at <= catchUpMilliseconds;
  }

  #metadataOf(target: ScaleTarget): WatchedMetadata | undefined {
    const cache = this.#options.metadata.of(target);
    if (cache?.trustOf(target.namespace).isTrusted !== true) return undefined;
    return cache.get(target.namespace, target.name);
  }

  #watch(mapping: RestMapping): void {
    const key = kindKey(mapping);
    if (this.#kinds.has(key) || this.#kinds.size >= maximumKinds) return;
    this.#kinds.add(key);
    const { metadata } = this.#options;
    if (metadata.of(mapping) === undefined) metadata.add({ ...mapping, keepsWriter: true }).start();
  }

  /** Reads a scale again that was asked for before; versions that arrive meanwhile cost one more read. */
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
