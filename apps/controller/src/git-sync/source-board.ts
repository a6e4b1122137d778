import type { SourceSettings } from '#configuration';
import type { RetiredSource, RevisionStorePort, SourceSync, SyncOutcome } from '#git-sync';
import type { SourceOperations, SourceView } from '../admin/source-operations.ts';

/** What a board stands on. */
export interface SourceBoardParts {
  readonly syncs: readonly SourceSync[];
  /** Sources that the configuration no longer names, and whose policies are still in force. */
  readonly retired: readonly RetiredSource[];
  readonly settings: readonly SourceSettings[];
  readonly store: RevisionStorePort;
  readonly now: () => string;
}

interface Seen {
  readonly lastSync: NonNullable<SourceView['lastSync']>;
  readonly staleSince: string | null;
}

/** The sources as operators see them, and what they can do with them. */
export class SourceBoard implements SourceOperations {
  readonly #parts: SourceBoardParts;
  readonly #byName: ReadonlyMap<string, SourceSync>;
  readonly #seen = new Map<string, Seen>();

  constructor(parts: SourceBoardParts) {
    this.#parts = parts;
    this.#byName = new Map(parts.syncs.map((sync) => [sync.source, sync]));
  }

  /** Takes note of a look's outcome. */
  note(outcome: SyncOutcome): void {
    const time = this.#parts.now();
    const before = this.#seen.get(outcome.source)?.staleSince ?? null;
    const isStale = outcome.result === 'failed' || outcome.unreachable !== undefined;
    const staleSince = isStale ? (before ?? time) : null;
    this.#seen.set(outcome.source, { lastSync: { time, outcome }, staleSince });
  }

  readonly listSources = (): readonly SourceView[] => [
    ...this.#parts.settings.flatMap((settings) => {
      const sync = this.#byName.get(settings.name);
      return sync === undefined ? [] : [this.#view(settings, sync)];
    }),
    ...this.#parts.retired.filter((retired) => retired.holds().length > 0).map(retiredView),
  ];

  readonly sync: SourceOperations['sync'] = (source) => this.#noted(this.#named(source).sync());
  readonly participants: SourceOperations['participants'] = (source, hold) =>
    this.#retired(source) === undefined
      ? this.#named(source).participants(hold)
      : Promise.resolve({ commits: [], signers: [] });
  readonly approve: SourceOperations['approve'] = (source, digest, request) => {
    const retired = this.#retired(source);
    return this.#noted(
      retired === undefined ? this.#named(source).approve(digest, request) : retired.approve(digest, request),
    );
  };
  readonly reject: SourceOperations['reject'] = (source, digest, request) => {
    const retired = this.#retired(source);
    if (retired === undefined) return this.#named(source).reject(digest, request);
    retired.reject(digest);
    return Promise.resolve();
  };
  readonly release: SourceOperations['release'] = (source, policy, request) =>
    this.#noted(this.#named(source).release(policy, request));
  readonly resume: SourceOperations['resume'] = (source, request) =>
    this.#noted(this.#named(source).resume(request));
  readonly rollBack: SourceOperations['rollBack'] = (source, commit, request) =>
    this.#noted(this.#named(source).rollBack(commit, request));
  readonly listRevisions: SourceOperations['listRevisions'] = (source, limit) =>
    this.#parts.store.listRevisions(source, limit);
  readonly versionAt: SourceOperations['versionAt'] = (policy, time) =>
    this.#parts.store.loadVersionAt(policy, time);

  #view({ name, url, ref, unknownApprovers }: SourceSettings, sync: SourceSync): SourceView {
    const seen = this.#seen.get(name);
    return {
      name,
      url: withoutUser(url),
      ref,
      commit: sync.commit,
      holds: sync.holds(),
      pin: sync.pin,
      released: sync.released,
      lastSync: seen?.lastSync ?? null,
      staleSince: seen?.staleSince ?? null,
      unknownApprovers,
    };
  }

  #retired(source: string): RetiredSource | undefined {
    return this.#parts.retired.find((retired) => retired.source === source);
  }

  #named(source: string): SourceSync {
    const sync = this.#byName.get(source);
    if (sync === undefined) throw new Error(`no source is named ${source}`);
    return sync;
  }

  async #noted(outcome: Promise<SyncOutcome>): Promise<SyncOutcome> {
    const seen = await outcome;
    this.note(seen);
    return seen;
  }
}

/** A source that the configuration no longer names: only its hold can be seen and approved. */
function retiredView(retired: RetiredSource): SourceView {
  return {
    name: retired.source,
    url: '',
    ref: '',
    commit: retired.commit,
    holds: retired.holds(),
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
