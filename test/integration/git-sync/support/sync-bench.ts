import { createHash } from 'node:crypto';
import { GitAdapter } from '#adapter-git';
import {
  ActivePolicySet,
  ConfiguredSource,
  defaultBlastRadius,
  defaultFetchLimits,
  InProcessParser,
  type PolicyParserPort,
  type RevisionStorePort,
  type SourceConfiguration,
} from '#git-sync';
import { FakeRevisionStore, FakeSyncJournal, replicasNow } from '#git-sync/testing';
import { namespacedName } from '#kernel';
import { FakeClock } from '#reconciliation/testing';
import { defaultRepositoryLimits, type RepositoryOptions } from '#repository';
import { temporaryFolder, TemporaryRepository } from './temporary-repository.ts';

/** One source over a real repository, with stores in memory. */
export class SyncBench {
  readonly origin: TemporaryRepository;
  readonly journal = new FakeSyncJournal();
  readonly clock = new FakeClock('2026-03-01T00:00:00.000Z');
  readonly store: RevisionStorePort;
  readonly folder: string;
  active = new ActivePolicySet();
  sync: ConfiguredSource;
  configuration: SourceConfiguration;
  /** What files are parsed with from the next sync on. */
  parser: PolicyParserPort = new InProcessParser(this.clock);
  /** Replicas now, by `shop/checkout`. */
  replicas = new Map<string, number>();

  private constructor(parts: {
    readonly origin: TemporaryRepository;
    readonly folder: string;
    readonly configuration: SourceConfiguration;
    readonly git: GitAdapter;
    readonly store: RevisionStorePort;
  }) {
    this.origin = parts.origin;
    this.folder = parts.folder;
    this.configuration = parts.configuration;
    this.store = parts.store;
    this.#git = parts.git;
    this.sync = this.#create();
  }

  readonly #git: GitAdapter;

  static async create(
    options: Partial<RepositoryOptions> = {},
    store: RevisionStorePort = new FakeRevisionStore(),
  ): Promise<SyncBench> {
    const origin = await TemporaryRepository.create();
    const folder = await temporaryFolder();
    const git = await GitAdapter.create({ folder, now: () => Date.now() });
    const configuration: SourceConfiguration = {
      location: { source: 'policies', url: origin.url, ref: 'refs/heads/main' },
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
    return new SyncBench({ origin, folder, configuration, git, store });
  }

  /** As after a restart, with another configuration where one is given. */
  async restart(change: Partial<SourceConfiguration> = {}): Promise<void> {
    this.configuration = { ...this.configuration, ...change };
    this.active = new ActivePolicySet();
    this.sync = this.#create();
    await this.sync.restore();
  }

  /** `shop/checkout` of each policy in force, sorted. */
  names(): readonly string[] {
    return this.active
      .listActivePolicies()
      .map(({ policy }) => namespacedName(policy))
      .sort();
  }

  /** `shop/checkout 1-10` of each policy in force, sorted. */
  bounds(): readonly string[] {
    return this.active
      .listActivePolicies()
      .map(({ policy }) => `${namespacedName(policy)} ${policy.minReplicas}-${policy.maxReplicas}`)
      .sort();
  }

  async remove(): Promise<void> {
    await this.origin.remove();
  }

  #create(): ConfiguredSource {
    const { journal, clock, store, active } = this;
    return new ConfiguredSource(this.configuration, {
      git: this.#git,
      store,
      journal,
      clock,
      parser: {
        batchesAtOnce: 1,
        parse: (batch) => this.parser.parse(batch),
        parseOverlays: (batch) => this.parser.parseOverlays(batch),
      },
      active,
      presentReplicas: (policies) => Promise.resolve(replicasNow(policies, this)),
      earlierReplicas: () => Promise.resolve(null),
      digest: (text) => createHash('sha256').update(text).digest('hex'),
    });
  }
}
