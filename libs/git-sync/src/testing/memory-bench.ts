import { createHash } from 'node:crypto';
import { namespacedName } from '#kernel';
import { loadEarlierReplicas } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { defaultRepositoryLimits, type RepositoryOptions } from '#repository';
import { ConfiguredSource } from '../configured-source.ts';
import { InProcessParser } from '../fetch/in-process-parser.ts';
import { ActivePolicySet } from '../in-force/active-policy-set.ts';
import { type FakeChanges, type FakeCommitOptions, FakeGit, type FakeRemote } from '../ports/git.fake.ts';
import { FakeRevisionStore } from '../ports/revision-store.fake.ts';
import { FakeSyncJournal } from '../ports/sync-journal.fake.ts';
import type { SyncOutcome } from '../ports/sync-outcome.ts';
import { RetiredSource } from '../retired-source.ts';
import {
  defaultBlastRadius,
  defaultFetchLimits,
  type SourceConfiguration,
} from '../setup/source-configuration.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { replicasNow } from './replicas-now.ts';

/** Who asks, and why. */
export const request = { by: 'olga', reason: 'looked at it' };

const url = 'file:///policies';

/** One controller with sources over repositories in memory. */
export class MemoryBench {
  readonly git = new FakeGit();
  readonly journal = new FakeSyncJournal();
  readonly clock = new FakeClock('2026-03-01T00:00:00.000Z');
  readonly store = new FakeRevisionStore();
  /**
   * Replicas now, by `shop/checkout`. Of other policies in force they are unknown, and the targets of other new policies
   * do not exist yet.
   */
  readonly replicas = new Map<string, number>();
  /** New policies (`shop/checkout`) whose target cannot be read. */
  readonly unreadable = new Set<string>();
  readonly recorded = new RecordedChanges(this.journal);
  active = new ActivePolicySet();
  configuration: SourceConfiguration;
  sync: ConfiguredSource;
  last: SyncOutcome | undefined;
  /** When the process of sources that are made after it is set ends. */
  ending: AbortSignal | undefined;
  /** Is called with the outcomes of sources that are made after it is set. */
  onEnded: ((outcome: SyncOutcome) => void) | undefined;

  constructor(options: Partial<RepositoryOptions> = {}) {
    this.configuration = aSource('policies', url, options);
    this.sync = this.source(this.configuration);
  }

  get origin(): FakeRemote {
    return this.git.remote(this.configuration.location.url);
  }

  /** Commits and syncs. */
  async commit(changes: FakeChanges, options: FakeCommitOptions = {}): Promise<string> {
    const hash = this.origin.commit('A commit', changes, options);
    await this.look();
    return hash;
  }

  async look(): Promise<SyncOutcome> {
    this.clock.advance(60_000);
    this.last = await this.sync.sync();
    return this.last;
  }

  /** As after a restart, with another configuration where one is given; nothing is looked at yet. */
  async restart(change: Partial<SourceConfiguration> = {}): Promise<void> {
    this.configuration = { ...this.configuration, ...change };
    this.active = new ActivePolicySet();
    this.sync = this.source(this.configuration);
    await this.sync.restore();
  }

  /** As after a restart with other repository options, and a look. */
  async reconfigure(options: Partial<RepositoryOptions>): Promise<void> {
    await this.restart({ repository: { ...this.configuration.repository, ...options } });
    await this.look();
  }

  /** Approves whatever is held, as it is held now. */
  async approveAll(): Promise<void> {
    for (const { digest } of this.sync.holds())
      this.last = (await this.sync.approve(digest, request)) ?? undefined;
  }

  async rollBack(commit: string): Promise<void> {
    this.clock.advance(60_000);
    this.last = await this.sync.rollBack(commit, request);
  }

  /** Another source of the same controller, looked at. */
  async beside(name: string, changes: FakeChanges): Promise<ConfiguredSource> {
    const other = this.source(aSource(name, `file:///${name}`, {}));
    this.git.remote(`file:///${name}`).commit('Beside', changes);
    await other.sync();
    return other;
  }

  source(configuration: SourceConfiguration): ConfiguredSource {
    return new ConfiguredSource(configuration, this.ports());
  }

  /** The source as one that the configuration no longer names. */
  async retired(): Promise<RetiredSource> {
    const [state] = await this.store.listSources();
    if (state === undefined) throw new Error('no source is stored');
    this.active = new ActivePolicySet();
    const retired = new RetiredSource(state, this.ports());
    await retired.restore();
    return retired;
  }

  ports(): SyncPorts {
    const { git, journal, clock, store, active, replicas, unreadable, recorded } = this;
    return {
      git,
      store,
      journal,
      clock,
      parser: new InProcessParser(clock),
      active,
      presentReplicas: (policies) => Promise.resolve(replicasNow(policies, { active, replicas, unreadable })),
      earlierReplicas: (lowered) => loadEarlierReplicas(recorded, lowered),
      digest: (text) => createHash('sha256').update(text).digest('hex'),
      ...(this.ending === undefined ? {} : { ending: this.ending }),
      ...(this.onEnded === undefined
        ? {}
        : { events: { judging: (): void => undefined, ended: this.onEnded } }),
    };
  }

  /** `shop/checkout 1-10` of each policy in force, sorted. */
  bounds(): readonly string[] {
    return this.active
      .listActivePolicies()
      .map(({ policy }) => `${namespacedName(policy)} ${policy.minReplicas}-${policy.maxReplicas}`)
      .sort();
  }

  /** Codes of the last look's errors and causes of what is held, sorted. */
  codes(): readonly string[] {
    const errors = this.last?.diagnostics.filter(({ severity }) => severity === 'error') ?? [];
    const causes = this.sync.holds().flatMap((hold) => hold.causes);
    return [...errors, ...causes].map(({ code }) => code).sort();
  }

  /** Each error as `file:line tenant code`, in their order. */
  errors(): readonly string[] {
    return (this.last?.diagnostics ?? [])
      .filter(({ severity }) => severity === 'error')
      .map(({ file, line, tenant, code }) => `${file}:${line} ${tenant} ${code}`);
  }
}

function aSource(source: string, at: string, options: Partial<RepositoryOptions>): SourceConfiguration {
  return {
    location: { source, url: at, ref: 'refs/heads/main' },
    repository: {
      path: '',
      include: [],
      exclude: [],
      tenants: [],
      limits: defaultRepositoryLimits,
      ...options,
    },
    hasForge: true,
    blastRadius: defaultBlastRadius,
    fetchLimits: defaultFetchLimits,
    read: {},
  };
}
