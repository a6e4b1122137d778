import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { GitAdapter } from '#adapter-git';
import { SqlRevisionStore } from '#adapter-sql';
import { type Configuration, sourceConfiguration } from '#configuration';
import {
  ActivePolicySet,
  ConfiguredSource,
  RetiredSource,
  type Source,
  type SyncEventsPort,
  type SyncOutcome,
} from '#git-sync';
import type { ActivePoliciesPort } from '#reconciliation';
import type { SourceOperations } from '../admin/source-operations.ts';
import type { Cluster } from '../cluster.ts';
import type { OpenLedger } from '../database.ts';
import { systemClock } from '../reconcile/system-clock.ts';
import { LedgerSyncJournal } from './ledger-sync-journal.ts';
import { logOutcome } from './log-outcome.ts';
import { ParserPool } from './parsing/parser-pool.ts';
import { presentReplicas } from './present-replicas.ts';
import { SourceRegistry } from './source-registry.ts';
import { SyncSchedule } from './sync-schedule.ts';

/** What syncing needs of the rest of the controller. */
export interface PolicySyncOptions {
  readonly configuration: Configuration;
  readonly ledger: OpenLedger;
  readonly cluster: Cluster;
  /** Hears of each commit that is judged, and of what came of it. */
  readonly observer: SyncEventsPort;
  readonly logger: Logger;
}

/** All sources of the configuration, synced on their intervals and on demand. */
export interface PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  /** Puts the last good policies into force from SQL; asks no Git server. */
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
  readonly stop: () => Promise<void>;
}

/**
 * Opens Git and the revisions of every source; nothing is fetched yet.
 *
 * @throws AdapterError
 */
export async function openPolicySync(options: PolicySyncOptions): Promise<PolicySync> {
  const { configuration, ledger, observer, logger } = options;
  const active = new ActivePolicySet();
  const parser = new ParserPool();
  const git = await GitAdapter.create({
    folder: join(configuration.dataFolder, 'git'),
    now: () => Date.now(),
  });
  const store = new SqlRevisionStore(ledger.sql, ledger.held);
  const ports = {
    git,
    store,
    journal: new LedgerSyncJournal({ writer: ledger.writer, fences: ledger.held, ledger: ledger.ledger }),
    clock: systemClock,
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
  const retired = (await store.listSources())
    .filter(({ source }) => !names.has(source))
    .map((state) => new RetiredSource(state, ports));
  const registry = new SourceRegistry({
    sources: [...configured, ...retired],
    settings: configuration.sources,
    store,
    now: () => systemClock.now(),
  });
  return new SourceSyncs({ configured, retired, active, git, parser, configuration, registry });
}

interface SourceSyncsOptions {
  readonly configured: readonly Source[];
  /** Sources that SQL knows and the configuration does not: their policies stay until their leaving is approved. */
  readonly retired: readonly Source[];
  readonly active: ActivePolicySet;
  readonly git: GitAdapter;
  readonly parser: ParserPool;
  readonly configuration: Configuration;
  readonly registry: SourceRegistry;
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
    const { configured, retired, active } = this.#options;
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

  /** A sync that fetches or parses fails at once, and is done again after the next start. */
  readonly stop = async (): Promise<void> => {
    this.#options.git.close();
    await Promise.all([this.#options.parser.close(), this.#schedule.stop()]);
  };

  async #sync(name: string): Promise<SyncOutcome> {
    const outcome = await this.#options.registry.sync(name);
    // A source that is held or rejected has been judged, and approving it takes a controller that is ready.
    if (outcome.result !== 'failed') this.#unseen.delete(name);
    return outcome;
  }
}
