import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import {
  ActivePolicySet,
  ConfiguredSource,
  type GitPort,
  type PolicyParserPort,
  RetiredSource,
  type RevisionStorePort,
  type SyncEventsPort,
  type SyncJournalPort,
  type SyncOutcome,
} from '#git-sync';
import { type LedgerPort, loadEarlierReplicas, type LoweredPolicy } from '#ledger';
import type { ClockPort, TracesPort } from '#reconciliation';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { LoopActivities } from '../logging/loop-activities.ts';
import { logOutcome } from './log-outcome.ts';
import type { PolicySync } from './policy-sync.ts';
import { presentReplicas } from './present-replicas.ts';
import type { SourceLooks } from './source-looks.ts';
import { SourceRegistry } from './source-registry.ts';
import { SourceSyncs } from './source-syncs.ts';

/** What syncing needs of the rest of the controller. */
export interface PolicySyncOptions {
  readonly configuration: Configuration;
  readonly git: GitPort;
  readonly parser: PolicyParserPort;
  readonly store: RevisionStorePort;
  readonly journal: SyncJournalPort;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly clock: ClockPort;
  readonly cluster: Cluster;
  /** Hears of each commit that is judged, and of what came of it. */
  readonly observer: SyncEventsPort;
  readonly logger: Logger;
  readonly activities: Pick<LoopActivities, 'during'>;
  /** Whether this process syncs; another one does, where it does not. */
  readonly isLeader: () => boolean;
  /** What all replicas know of the latest looks. */
  readonly looks: Pick<SourceLooks, 'of' | 'note'>;
  readonly traces: TracesPort;
}

/** Puts the sources of a configuration together; nothing is read yet. */
export function createPolicySync(options: PolicySyncOptions): PolicySync {
  const { configuration, git, store, journal, ledger, clock, parser, observer, logger } = options;
  const active = new ActivePolicySet();
  const ending = new AbortController();
  const ports = {
    ending: ending.signal,
    git,
    store,
    journal,
    clock,
    parser,
    active,
    presentReplicas: presentReplicas(options.cluster),
    earlierReplicas: (lowered: LoweredPolicy) => loadEarlierReplicas(ledger, lowered),
    traces: options.traces,
    digest: (text: string) => createHash('sha256').update(text).digest('hex'),
    events: {
      judging: (source: string, commit: string) => observer.judging(source, commit),
      ended: (outcome: SyncOutcome) => {
        // What the end of the process cut off is looked at again by the next start.
        if (!syncs.isStopped || outcome.result !== 'failed') logOutcome(logger, outcome);
        observer.ended(outcome);
      },
    },
  };
  const { looks } = options;
  const registry = new SourceRegistry({ sources: [], settings: configuration.sources, store, active, looks });
  const syncs: SourceSyncs = new SourceSyncs({
    configuration,
    configured: (source) => new ConfiguredSource(source, ports),
    retired: (state) => new RetiredSource(state, ports),
    store,
    active,
    registry,
    ending,
    activities: options.activities,
    isLeader: options.isLeader,
    logger,
  });
  return syncs;
}
