import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { GitAdapter } from '#adapter-git';
import { SqlRevisionStore } from '#adapter-sql';
import { type Configuration, sourceConfiguration } from '#configuration';
import { ActivePolicySet, RetiredSource, SourceSync, type SyncOutcome } from '#git-sync';
import type { ActivePoliciesPort } from '#reconciliation';
import type { SourceOperations } from '../admin/source-operations.ts';
import type { Cluster } from '../cluster.ts';
import type { OpenLedger } from '../database.ts';
import { observeGit } from '../forge/observe-git.ts';
import { systemClock } from '../reconcile/system-clock.ts';
import { LedgerSyncJournal } from './ledger-sync-journal.ts';
import { logOutcome } from './log-outcome.ts';
import { ParserPool } from './parsing/parser-pool.ts';
import { presentReplicas } from './present-replicas.ts';
import { SourceBoard } from './source-board.ts';
import { SyncSchedule } from './sync-schedule.ts';

/** What syncing stands on. */
export interface PolicySyncParts {
  readonly configuration: Configuration;
  readonly ledger: OpenLedger;
  readonly cluster: Cluster;
  /** Hears of each commit that is judged, and of what came of it; must not throw. */
  readonly observer: {
    readonly judging: (source: string, commit: string) => void;
    readonly ended: (outcome: SyncOutcome) => void;
  };
  readonly logger: Logger;
}

/** All sources of the configuration, synced on their intervals and on demand. */
export interface PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  /** Restores the last good policies from SQL, then looks at every source once; a source that fails stops nothing. */
  readonly start: () => Promise<void>;
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

/** Opens Git and the revisions of every source; nothing is fetched yet. Throws `AdapterError`. */
export async function openPolicySync(parts: PolicySyncParts): Promise<PolicySync> {
  const { configuration, ledger, observer, logger } = parts;
  const active = new ActivePolicySet();
  const parser = new ParserPool();
  const git = await GitAdapter.create({
    folder: join(configuration.dataFolder, 'git'),
    now: () => Date.now(),
  });
  const ports = {
    git: observeGit(git, observer.judging),
    store: new SqlRevisionStore(ledger.sql),
    journal: new LedgerSyncJournal(ledger.writer, ledger.ledger),
    clock: systemClock,
    parser,
    active,
    presentReplicas: presentReplicas(parts.cluster),
    digest: (text: string) => createHash('sha256').update(text).digest('hex'),
    report: (outcome: SyncOutcome) => {
      logOutcome(logger, outcome);
      observer.ended(outcome);
    },
  };
  const syncs = configuration.sources.map(
    (source) => new SourceSync(sourceConfiguration(source, configuration), ports),
  );
  const configured = new Set(configuration.sources.map(({ name }) => name));
  const retired = (await ports.store.listSources())
    .filter(({ source }) => !configured.has(source))
    .map((state) => new RetiredSource(state, ports));
  const board = new SourceBoard({
    syncs,
    retired,
    settings: configuration.sources,
    store: ports.store,
    now: () => systemClock.now(),
  });
  return new SourceSyncs({ syncs, retired, active, parser, configuration, board });
}

interface SourceSyncsParts {
  readonly syncs: readonly SourceSync[];
  /** Sources that SQL knows and the configuration does not: their policies stay until somebody lets them go. */
  readonly retired: readonly RetiredSource[];
  readonly active: ActivePolicySet;
  readonly parser: ParserPool;
  readonly configuration: Configuration;
  readonly board: SourceBoard;
}

class SourceSyncs implements PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  readonly sources: SourceOperations;
  readonly #parts: SourceSyncsParts;
  readonly #schedule: SyncSchedule;
  readonly #waiting: Set<string>;

  constructor(parts: SourceSyncsParts) {
    this.#parts = parts;
    this.activePolicies = parts.active;
    this.sources = parts.board;
    this.#waiting = new Set(parts.syncs.map(({ source }) => source));
    const seconds = new Map(parts.configuration.sources.map(({ name, interval }) => [name, interval]));
    this.#schedule = new SyncSchedule(
      parts.syncs.map((sync) => ({
        intervalSeconds: seconds.get(sync.source) ?? 60,
        run: () => this.#sync(sync),
      })),
    );
  }

  readonly start = async (): Promise<void> => {
    for (const retired of this.#parts.retired) await retired.restore();
    for (const sync of this.#parts.syncs) {
      await sync.restore();
      if (this.#parts.active.documentsOf(sync.source).length > 0) this.#waiting.delete(sync.source);
    }
    await this.syncNow();
    this.#schedule.start();
  };

  readonly syncNow = async (source?: string): Promise<void> => {
    const wanted = this.#parts.syncs.filter((sync) => source === undefined || sync.source === source);
    await Promise.all(wanted.map((sync) => this.#sync(sync)));
  };

  readonly onChange = (listener: () => void): void => {
    this.#parts.active.subscribe(listener);
  };

  readonly missing = (): string | undefined =>
    this.#waiting.size === 0 ? undefined : `not looked at yet: ${[...this.#waiting].join(', ')}`;

  /** A sync that parses fails at once, and is done again after the next start. */
  readonly stop = async (): Promise<void> => {
    await Promise.all([this.#parts.parser.close(), this.#schedule.stop()]);
  };

  async #sync(sync: SourceSync): Promise<SyncOutcome> {
    const outcome = await this.#parts.board.sync(sync.source);
    // A source that is held or rejected has been judged: whoever must approve it needs a controller that is ready.
    if (outcome.result !== 'failed') this.#waiting.delete(sync.source);
    return outcome;
  }
}
