import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { type Configuration, sourceConfiguration } from '#configuration';
import {
  ActivePolicySet,
  ConfiguredSource,
  type GitPort,
  type PolicyParserPort,
  RetiredSource,
  type RevisionStorePort,
  type Source,
  type SyncEventsPort,
  type SyncJournalPort,
  type SyncOutcome,
} from '#git-sync';
import type { ActivePoliciesPort, ClockPort } from '#reconciliation';
import type { SourceOperations } from '../admin/source-operations.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { LoopActivities } from '../metrics/loop-activities.ts';
import { logOutcome } from './log-outcome.ts';
import { presentReplicas } from './present-replicas.ts';
import { SourceRegistry } from './source-registry.ts';
import { SyncSchedule } from './sync-schedule.ts';

/** What syncing needs of the rest of the controller. */
export interface PolicySyncOptions {
  readonly configuration: Configuration;
  readonly git: GitPort;
  readonly parser: PolicyParserPort;
  readonly store: RevisionStorePort;
  readonly journal: SyncJournalPort;
  readonly clock: ClockPort;
  readonly cluster: Cluster;
  /** Hears of each commit that is judged, and of what came of it. */
  readonly observer: SyncEventsPort;
  readonly logger: Logger;
  readonly activities: Pick<LoopActivities, 'during'>;
}

/** All sources of the configuration, synced on their intervals and on demand. */
export interface PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  /**
   * Puts the last good policies into force from SQL; asks no Git server.
   *
   * @throws AdapterError
   */
  readonly restore: () => Promise<void>;
  /** Looks at every source now and on its interval from then on, in the background; a source that fails stops nothing. */
  readonly beginLooking: () => void;
  /** Looks at one source, or at all, now; resolves when what was found is in force, held or rejected. */
  readonly syncNow: (source?: string) => Promise<void>;
  /** Calls the listener whenever the policies in force have changed. */
  readonly onChange: (listener: () => void) => void;
  /** For readiness: undefined when every source was restored or looked at, else which were not. */
  readonly missing: () => string | undefined;
  /** The sources as operators see them, and what they can do with them. */
  readonly sources: SourceOperations;
  /** Waits for syncs and operators' requests under way, and refuses later ones. */
  readonly stop: () => Promise<void>;
}

/** Puts the sources of a configuration together; nothing is read yet. */
export function createPolicySync(options: PolicySyncOptions): PolicySync {
  const { configuration, git, store, journal, clock, parser, observer, logger } = options;
  const active = new ActivePolicySet();
  const ports = {
    git,
    store,
    journal,
    clock,
    parser,
    active,
    presentReplicas: presentReplicas(options.cluster),
    digest: (text: string) => createHash('sha256').update(text).digest('hex'),
    events: {
      judging: (source: string, commit: string) => observer.judging(source, commit),
      ended: (outcome: SyncOutcome) => {
        logOutcome(logger, outcome);
        observer.ended(outcome);
      },
    },
  };
  const configured = configuration.sources.map(
    (source) => new ConfiguredSource(sourceConfiguration(source, configuration), ports),
  );
  const names = new Set(configuration.sources.map(({ name }) => name));
  const loadRetired = async (): Promise<readonly Source[]> => {
    const left = (await store.listSources()).filter(({ source }) => !names.has(source));
    return left.map((state) => new RetiredSource(state, ports));
  };
  const registry = new SourceRegistry({
    sources: configured,
    settings: configuration.sources,
    store,
  });
  return new SourceSyncs({
    configured,
    loadRetired,
    active,
    configuration,
    registry,
    activities: options.activities,
  });
}

interface SourceSyncsOptions {
  readonly configured: readonly Source[];
  /** Sources that SQL knows and the configuration does not: their policies stay until their leaving is approved. */
  readonly loadRetired: () => Promise<readonly Source[]>;
  readonly active: ActivePolicySet;
  readonly configuration: Configuration;
  readonly registry: SourceRegistry;
  readonly activities: Pick<LoopActivities, 'during'>;
}

class SourceSyncs implements PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  readonly sources: SourceOperations;
  readonly #options: SourceSyncsOptions;
  readonly #schedule: SyncSchedule;
  readonly #unseen: Set<string>;

  constructor(options: SourceSyncsOptions) {
    this.#options = options;
    this.activePolicies = options.active;
    this.sources = options.registry;
    this.#unseen = new Set(options.configured.map(({ name }) => name));
    this.#schedule = new SyncSchedule(
      options.configuration.sources.map(({ name, interval }) => ({
        intervalSeconds: interval,
        run: () => this.#sync(name),
      })),
    );
  }

  readonly restore = async (): Promise<void> => {
    const { configured, loadRetired, active, registry } = this.#options;
    const retired = await loadRetired();
    registry.add(retired);
    for (const source of [...retired, ...configured]) await source.restore();
    for (const { name } of configured) if (active.documentsOf(name).length > 0) this.#unseen.delete(name);
  };

  readonly beginLooking = (): void => this.#schedule.start();

  readonly syncNow = async (source?: string): Promise<void> => {
    const wanted = this.#options.configured.filter(({ name }) => source === undefined || name === source);
    await Promise.all(wanted.map(({ name }) => this.#sync(name)));
  };

  readonly onChange = (listener: () => void): void => {
    this.#options.active.subscribe(listener);
  };

  readonly missing = (): string | undefined =>
    this.#unseen.size === 0 ? undefined : `not looked at yet: ${[...this.#unseen].join(', ')}`;

  readonly stop = async (): Promise<void> => {
    await Promise.all([this.#schedule.stop(), this.#options.registry.close()]);
  };

  async #sync(name: string): Promise<SyncOutcome> {
    const { activities, registry } = this.#options;
    const outcome = await activities.during(`sync of ${name}`, () => registry.sync(name));
    // A source that is held or rejected has been judged, and approving it takes a controller that is ready.
    if (outcome.result !== 'failed') this.#unseen.delete(name);
    return outcome;
  }
}
