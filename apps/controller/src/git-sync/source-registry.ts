import type { SourceSettings } from '#configuration';
import type { ActivePolicySet, RevisionStorePort, Source } from '#git-sync';
import { AdapterError } from '#kernel';
import type { SourceLooks } from './source-looks.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';

export interface SourceRegistryOptions {
  /** Those that the configuration names. */
  readonly sources: readonly Source[];
  /** Of the sources that the configuration names. */
  readonly settings: readonly SourceSettings[];
  readonly store: RevisionStorePort;
  readonly active: Pick<ActivePolicySet, 'documentsOf'>;
  /** Absent: no other process looks at sources. */
  readonly looks?: Pick<SourceLooks, 'of' | 'note'>;
}

/** The sources as operators see them, and what they can do with them. */
export class SourceRegistry implements SourceOperations {
  readonly #options: SourceRegistryOptions;
  readonly #sources: Map<string, Source>;
  #settings: ReadonlyMap<string, SourceSettings>;
  readonly #running = new Set<Promise<unknown>>();
  readonly #syncFailures = new Map<string, number>();
  #isClosed = false;

  constructor(options: SourceRegistryOptions) {
    this.#options = options;
    this.#sources = new Map(options.sources.map((source) => [source.name, source]));
    this.#settings = byName(options.settings);
  }

  /** Shows the sources as another configuration names them. */
  reconfigure(settings: readonly SourceSettings[]): void {
    this.#settings = byName(settings);
  }

  /** Adds a source, or takes it in the place of that of its name: one that the configuration names, or no longer does. */
  set(source: Source): void {
    this.#sources.set(source.name, source);
  }

  readonly listSources = (): readonly SourceView[] =>
    [...this.#sources.values()].flatMap((source) => {
      const settings = this.#settings.get(source.name);
      if (settings !== undefined) return [this.#view(source, settings)];
      return source.holds().length > 0 ? [retiredView(source)] : [];
    });

  readonly sync: SourceOperations['sync'] = async (source) => {
    const outcome = await this.#act(source, (named) => named.sync());
    if (outcome.result === 'failed')
      this.#syncFailures.set(source, (this.#syncFailures.get(source) ?? 0) + 1);
    return outcome;
  };
  readonly syncFailures: SourceOperations['syncFailures'] = () => this.#syncFailures;
  readonly participants: SourceOperations['participants'] = (source, hold) =>
    this.#run(() => this.#named(source).participants(hold));
  readonly inTurn: SourceOperations['inTurn'] = (source, work) =>
    this.#act(source, (named) => named.inTurn(work));
  readonly rehearseRollBack: SourceOperations['rehearseRollBack'] = (source, commit, request) =>
    this.#run(() => this.#named(source).rehearseRollBack(commit, request));
  readonly rehearseResume: SourceOperations['rehearseResume'] = (source, request) =>
    this.#run(() => this.#named(source).rehearseResume(request));
  readonly rehearseSync: SourceOperations['rehearseSync'] = (source) =>
    this.#run(() => this.#named(source).rehearseSync());
  readonly listRevisions: SourceOperations['listRevisions'] = (source, limit) =>
    this.#options.store.listRevisions(source, limit);
  readonly latestRevision: SourceOperations['latestRevision'] = (source, commit) =>
    this.#options.store.loadLatestRevision(source, commit);
  readonly loadLines: SourceOperations['loadLines'] = (source, commit, places) =>
    this.#run(() => this.#named(source).loadLines(commit, places));
  readonly namespacesAt: SourceOperations['namespacesAt'] = async (source, commit) => {
    const query = { source, by: { commit }, outcomes: ['active'] as const };
    const [revision] = await this.#options.store.loadRevisions([query]);
    if (revision === undefined) return null;
    const documents = await this.#options.store.loadInForceAt(source, revision.finishedAt);
    const policies = documents.filter(({ role }) => role === 'Policy');
    return [...new Set(policies.map(({ namespace }) => namespace))];
  };
  readonly hasPolicy: SourceOperations['hasPolicy'] = (source, policy) =>
    this.#named(source).hasPolicy(policy);
  readonly judgeBounds: SourceOperations['judgeBounds'] = (source, policy, bounds) =>
    this.#named(source).judgeBounds(policy, bounds);
  readonly findRevisions: SourceOperations['findRevisions'] = (queries) =>
    this.#options.store.loadRevisions(queries);
  readonly listVersions: SourceOperations['listVersions'] = (queries) =>
    this.#options.store.loadVersions(queries);
  readonly versionsAt: SourceOperations['versionsAt'] = (queries) =>
    this.#options.store.loadVersionsAt(queries);
  readonly documentsInForce: SourceOperations['documentsInForce'] = (source) =>
    this.#options.active.documentsOf(source);
  readonly defaultsAt: SourceOperations['defaultsAt'] = (queries) =>
    this.#options.store.loadDefaultsAt(queries);

  /** Refuses work from now on, and waits for what is under way, also where nothing else does: it uses the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  /** Does what may look at a source, or change what its latest look came to; the other replicas are told of that. */
  #act<T>(name: string, work: (source: Source) => Promise<T>): Promise<T> {
    return this.#run(async () => {
      const source = this.#named(name);
      const before = source.lastSync;
      try {
        return await work(source);
      } finally {
        const { lastSync } = source;
        if (lastSync !== null && lastSync !== before) await this.#options.looks?.note(name, lastSync);
      }
    });
  }

  #view(source: Source, { name, url, ref, unknownApprovers }: SourceSettings): SourceView {
    const lastSync = this.#options.looks?.of(source.name) ?? source.lastSync;
    return {
      name,
      isRetired: false,
      url: withoutUser(url),
      ref,
      commit: source.commit,
      holds: source.holds(),
      pin: source.pin,
      released: source.released,
      lastSync,
      staleSince: lastSync?.staleSince ?? null,
      unknownApprovers,
    };
  }

  #named(name: string): Source {
    const source = this.#sources.get(name);
    if (source === undefined) throw new Error(`no source is named ${name}`);
    return source;
  }

  /** @throws AdapterError `Closed` once the process ends. */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) {
      const message = 'the source is left as it is: the process is ending';
      throw new AdapterError({ code: 'Closed', message, retryable: true });
    }
    const running = work();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }
}

function byName(settings: readonly SourceSettings[]): ReadonlyMap<string, SourceSettings> {
  return new Map(settings.map((one) => [one.name, one]));
}

/** A source that the configuration no longer names: only its hold can be seen and decided. */
function retiredView(source: Source): SourceView {
  return {
    name: source.name,
    isRetired: true,
    url: '',
    ref: '',
    commit: source.commit,
    holds: source.holds(),
    pin: null,
    released: [],
    lastSync: null,
    staleSince: null,
    unknownApprovers: 'Refused',
  };
}

/** A URL should carry no credentials; one that does is not shown with them. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
