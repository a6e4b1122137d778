import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Configuration, sourceConfiguration, type SourceSettings } from '#configuration';
import type {
  ActivePolicySet,
  ConfiguredSource,
  RetiredSource,
  RevisionStorePort,
  SourceConfiguration,
  SourceState,
  SyncOutcome,
} from '#git-sync';
import { AdapterError, messageOf } from '#kernel';
import type { ActivePoliciesPort } from '#reconciliation';
import type { LoopActivities } from '../logging/loop-activities.ts';
import type { PolicySync } from './policy-sync.ts';
import type { SourceOperations } from './source-operations.ts';
import type { SourceRegistry } from './source-registry.ts';
import { SyncSchedule } from './sync-schedule.ts';

/** What sources are made with, and what knows of them. */
export interface SourceSyncsOptions {
  readonly configuration: Configuration;
  readonly configured: (source: SourceConfiguration) => ConfiguredSource;
  /** Of a source that SQL knows and the configuration does not: its policies stay until their leaving is approved. */
  readonly retired: (state: SourceState) => RetiredSource;
  readonly store: Pick<RevisionStorePort, 'listSources'>;
  readonly active: ActivePolicySet;
  readonly registry: SourceRegistry;
  readonly ending: AbortController;
  readonly activities: Pick<LoopActivities, 'during'>;
  readonly isLeader: () => boolean;
  readonly logger: Logger;
}

/** A source that could not be retired, since the database failed, is tried again after so long. */
const retryMilliseconds = 10_000;

/** Which sources there are, each with its schedule: they come, change and retire with the configuration. */
export class SourceSyncs implements PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  readonly sources: SourceOperations;
  readonly #options: SourceSyncsOptions;
  readonly #schedule = new SyncSchedule();
  readonly #unseen: Set<string>;
  readonly #configured = new Map<string, ConfiguredSource>();
  /** Sources that SQL knows and the configuration does not name. */
  readonly #retired = new Map<string, RetiredSource>();
  /** Sources that the configuration no longer names, whose last work has not ended. */
  readonly #retiring = new Map<string, Promise<void>>();
  #configuration: Configuration;
  /** Sources that the next configuration adds. */
  #prepared: readonly ConfiguredSource[] = [];
  /** The latest look at what another process stored. */
  #following: Promise<void> = Promise.resolve();

  constructor(options: SourceSyncsOptions) {
    const { configuration } = options;
    this.#options = options;
    this.#configuration = configuration;
    this.activePolicies = options.active;
    this.sources = options.registry;
    this.#unseen = new Set(configuration.sources.map(({ name }) => name));
    for (const source of configuration.sources) this.#add(source);
  }

  get isStopped(): boolean {
    return this.#options.ending.signal.aborted;
  }

  readonly restore = async (): Promise<void> => {
    const { store, active } = this.#options;
    await this.#following;
    const left = (await store.listSources()).filter(({ source }) => !this.#configured.has(source));
    for (const state of left) await this.#retiredOf(state).restore();
    for (const source of this.#configured.values()) await source.restore();
    for (const name of this.#configured.keys())
      if (active.documentsOf(name).length > 0) this.#unseen.delete(name);
  };

  readonly follow = (sources: readonly string[]): Promise<void> => {
    const following = this.#follow(sources).catch((error: unknown) => {
      if (!this.isStopped) throw error;
    });
    this.#following = following.catch(() => undefined);
    return following;
  };

  readonly readAhead = async (): Promise<void> => {
    const { store, activities } = this.#options;
    const states = await store.listSources().catch(() => null);
    if (states === null) return;
    const stored = new Set(states.map(({ source }) => source));
    const unknown = [...this.#configured].filter(([name]) => !stored.has(name));
    const reading = unknown.map(([name, source]) =>
      activities.during(`sync of ${name}`, () => source.readAhead()),
    );
    await Promise.allSettled(reading);
  };

  readonly beginLooking = (): void => this.#schedule.start();

  readonly syncNow = async (source?: string): Promise<void> => {
    const wanted = [...this.#configured.keys()].filter((name) => source === undefined || name === source);
    await Promise.all(wanted.map((name) => this.#sync(name)));
  };

  readonly onChange = (listener: () => void): void => {
    this.#options.active.subscribe(listener);
  };

  readonly missing = (): string | undefined =>
    this.#unseen.size === 0 ? undefined : `not looked at yet: ${[...this.#unseen].join(', ')}`;

  readonly prepare = async (configuration: Configuration): Promise<void> => {
    const added = configuration.sources.filter(({ name }) => !this.#configured.has(name));
    this.#prepared = await Promise.all(added.map((source) => this.#restored(source, configuration)));
  };

  readonly reconfigure = (configuration: Configuration): void => {
    const before = this.#configuration;
    const known = new Map(before.sources.map((source) => [source.name, recordOf(source, before)]));
    this.#configuration = configuration;
    const { registry } = this.#options;
    registry.reconfigure(configuration.sources);
    for (const source of this.#prepared) {
      this.#retired.delete(source.name);
      this.#configured.set(source.name, source);
      registry.set(source);
    }
    this.#prepared = [];
    const wanted = new Set(configuration.sources.map(({ name }) => name));
    for (const name of [...this.#configured.keys()]) if (!wanted.has(name)) this.#remove(name);
    for (const source of configuration.sources)
      if (known.get(source.name) !== recordOf(source, configuration)) this.#change(source);
  };

  readonly end = (): void => {
    const message = 'the sync ended at its next step: the process is ending';
    this.#options.ending.abort(new AdapterError({ code: 'Closed', message, retryable: true }));
  };

  readonly stop = async (): Promise<void> => {
    this.end();
    await Promise.all([this.#schedule.stop(), this.#options.registry.close()]);
  };

  #add(source: SourceSettings): void {
    const configured = this.#options.configured(sourceConfiguration(source, this.#configuration));
    this.#configured.set(source.name, configured);
    this.#options.registry.set(configured);
    this.#plan(source);
  }

  async #follow(names: readonly string[]): Promise<void> {
    const wanted = new Set(names);
    const unknown = names.some((name) => !this.#configured.has(name));
    const states = unknown ? await this.#options.store.listSources() : [];
    const retired = states.filter(({ source }) => wanted.has(source) && !this.#configured.has(source));
    for (const state of retired) await this.#retiredOf(state).follow();
    for (const [name, source] of this.#configured) {
      if (!wanted.has(name)) continue;
      await source.follow();
      // The process that syncs has looked at it.
      this.#unseen.delete(name);
    }
  }

  #retiredOf(state: SourceState): RetiredSource {
    const known = this.#retired.get(state.source);
    if (known !== undefined) return known;
    const source = this.#options.retired(state);
    this.#retired.set(state.source, source);
    this.#options.registry.set(source);
    return source;
  }

  /** A source that was not configured before; one that was once has its policies in force still. */
  async #restored(source: SourceSettings, configuration: Configuration): Promise<ConfiguredSource> {
    await this.#retiring.get(source.name);
    const configured = this.#options.configured(sourceConfiguration(source, configuration));
    await configured.restore();
    return configured;
  }

  /** Looks by the changed configuration as soon as the look under way has ended. */
  #change(source: SourceSettings): void {
    const configuration = sourceConfiguration(source, this.#configuration);
    void this.#configured.get(source.name)?.reconfigure(configuration);
    this.#plan(source);
  }

  #plan({ name, interval }: SourceSettings): void {
    this.#schedule.set(name, { intervalSeconds: interval, run: () => this.#sync(name) });
  }

  #remove(name: string): void {
    const source = this.#configured.get(name);
    this.#configured.delete(name);
    this.#schedule.delete(name);
    this.#unseen.delete(name);
    if (source === undefined) return;
    const retiring = this.#retire(source).finally(() => this.#retiring.delete(name));
    this.#retiring.set(name, retiring);
  }

  async #retire(source: ConfiguredSource): Promise<void> {
    const { store, retired, registry, logger } = this.#options;
    await source.whenIdle();
    while (!this.isStopped && !this.#configured.has(source.name)) {
      try {
        const state = (await store.listSources()).find((stored) => stored.source === source.name);
        if (state === undefined) return;
        const left = retired(state);
        // Only the process that syncs records what the ledger lacks.
        await (this.#options.isLeader() ? left.restore() : left.follow());
        this.#retired.set(source.name, left);
        registry.set(left);
        return;
      } catch (error) {
        logger.warn({ source: source.name, reason: messageOf(error) }, 'a source could not be retired yet');
        await delay(retryMilliseconds, undefined, { ref: false });
      }
    }
  }

  async #sync(name: string): Promise<SyncOutcome> {
    const { activities, registry } = this.#options;
    const outcome = await activities.during(`sync of ${name}`, () => registry.sync(name));
    // A source that is held or rejected has been judged, and approving it takes a controller that is ready.
    if (outcome.result !== 'failed') this.#unseen.delete(name);
    return outcome;
  }
}

/** All that a source is followed by; of the rest of the configuration what its policies may name and where they may lie. */
function recordOf(source: SourceSettings, configuration: Configuration): string {
  const { namespaces, strictNamespaces, prometheusServers, recommenderHosts } = configuration;
  const servers = prometheusServers.map(({ name }) => name);
  return JSON.stringify([source, namespaces, strictNamespaces, servers, recommenderHosts]);
}
