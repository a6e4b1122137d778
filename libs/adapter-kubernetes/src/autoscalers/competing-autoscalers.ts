import { messageOf } from '#kernel';
import type { CompetingAutoscaler, CompetingAutoscalersPort } from '#reconciliation';
import { hasCode } from '../api/api-failure.ts';
import { kindKey } from '../api/kind-name.ts';
import { type KubeObject, object, text } from '../api/kube-object.ts';
import type { RestMapper } from '../api/rest-mapper.ts';
import type { InformerStatus } from '../informer/informer.ts';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { specManagerOf } from '../objects/field-managers.ts';

export interface CompetingAutoscalersOptions {
  readonly watch: WatchOptions;
  readonly mapper: RestMapper;
}

interface SlimCompetitor extends CompetingAutoscaler {
  readonly isActive: boolean;
}

const kinds = [
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject' },
  { apiVersion: 'datadoghq.com/v1alpha1', kind: 'WatermarkPodAutoscaler' },
] as const;

/** In most clusters. */
const none: readonly CompetingAutoscaler[] = [];

type CompetingKind = (typeof kinds)[number];

/** A start waits for the first lists as long, and then does without: a Role need not allow them. */
const firstListMilliseconds = 5_000;

/**
 * ScaledObjects and WatermarkPodAutoscalers, watched where the cluster has their kinds. They are found by discovery when
 * the adapter starts, and looked for again from time to time.
 */
export class CompetingAutoscalers implements CompetingAutoscalersPort {
  readonly #options: CompetingAutoscalersOptions;
  readonly #caches = new Map<string, WatchedCache<SlimCompetitor>>();
  /** By kind, why it is not known whether the cluster has it. */
  readonly #undiscovered = new Map<string, string>();
  #isStopped = false;

  constructor(options: CompetingAutoscalersOptions) {
    this.#options = options;
  }

  listCompetitors(namespace: string): readonly CompetingAutoscaler[] {
    if (this.#caches.size === 0) return none;
    return [...this.#caches.values()]
      .flatMap((cache) => [...cache.values(namespace)])
      .filter(({ isActive }) => isActive);
  }

  whyUnknown(namespace: string): string | null {
    for (const message of this.#undiscovered.values()) return message;
    for (const cache of this.#caches.values()) {
      const trust = cache.trustOf(namespace);
      if (!trust.isTrusted) return trust.message;
    }
    return null;
  }

  /** The watches of the kinds that the cluster has. */
  get statuses(): readonly InformerStatus[] {
    return [...this.#caches.values()].flatMap((cache) => cache.statuses);
  }

  /** Begins to watch kinds that have come, ends it for those that have gone; resolves when the new ones are listed, or 5 s later. */
  async look(): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#lookFor(kind)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#caches.values()].map((cache) => cache.stop()));
  }

  async #lookFor(kind: CompetingKind): Promise<void> {
    const key = kindKey(kind);
    const known = this.#caches.get(key);
    try {
      const { groupPath, resource } = await this.#options.mapper.mappingOf(kind.apiVersion, kind.kind);
      this.#undiscovered.delete(key);
      if (known === undefined && !this.#isStopped) await this.#watch(kind, { groupPath, resource });
    } catch (error) {
      if (hasCode(error, 'UnknownKind')) {
        this.#undiscovered.delete(key);
        this.#caches.delete(key);
        await known?.stop();
      } else if (known === undefined) {
        const message = `whether the cluster has ${kind.kind}s is not known: ${messageOf(error)}`;
        this.#undiscovered.set(key, message);
      }
    }
  }

  async #watch(
    kind: CompetingKind,
    path: { readonly groupPath: string; readonly resource: string },
  ): Promise<void> {
    const { watch } = this.#options;
    const cache = new WatchedCache<SlimCompetitor>(watch, {
      ...path,
      representation: 'Object',
      transform: (found) => slimCompetitor(found, kind.kind),
    });
    this.#caches.set(kindKey(kind), cache);
    cache.start();
    const patience = new AbortController();
    const waited = watch.timing.wait(firstListMilliseconds, patience.signal).catch(() => undefined);
    await Promise.race([cache.whenSynced(), waited]);
    patience.abort();
  }
}

function slimCompetitor({ name, metadata, body }: KubeObject, kind: CompetingKind['kind']): SlimCompetitor {
  const spec = object(body['spec']);
  const reference = object(spec['scaleTargetRef']);
  return {
    kind,
    name,
    // A ScaledObject's reference means a Deployment where it does not say.
    target: {
      apiVersion: text(reference['apiVersion']) || 'apps/v1',
      kind: text(reference['kind']) || 'Deployment',
      name: text(reference['name']),
    },
    manager: specManagerOf(metadata) ?? null,
    isActive:
      kind === 'ScaledObject'
        ? object(metadata['annotations'])['autoscaling.keda.sh/paused'] !== 'true'
        : spec['dryRun'] !== true,
  };
}
