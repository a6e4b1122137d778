import type { PolicyDeparture } from '#ledger';
import { loadRemovals, noRemoval } from '../activate/load-removals.ts';
import type {
  EndedDocument,
  ListedVersion,
  PolicyAt,
  PolicyVersion,
  RevisionChange,
  RevisionQuery,
  RevisionRecord,
  RevisionStorePort,
  SourceAt,
  SourceState,
  StoredDocument,
  StoredDocumentKey,
  VersionsQuery,
} from './revision-store.port.ts';

interface Version {
  readonly source: string;
  readonly document: StoredDocument;
  validTo: string | null;
  departure: PolicyDeparture | null;
}

/** Revisions in memory. */
export class FakeRevisionStore implements RevisionStorePort {
  readonly #sources = new Map<string, SourceState>();
  readonly #versions: Version[] = [];
  readonly #revisions: RevisionRecord[] = [];

  readonly listSources = (): Promise<readonly SourceState[]> => Promise.resolve([...this.#sources.values()]);

  readonly loadInForce = (
    source: string,
    known: Pick<ReadonlyMap<bigint, unknown>, 'has'> = new Map(),
  ): Promise<ReadonlyMap<bigint, StoredDocument | null>> =>
    Promise.resolve(
      new Map(
        this.#versions
          .map((version, index) => ({ version, place: BigInt(index) }))
          .filter(({ version }) => version.source === source && version.validTo === null)
          .map(({ version, place }) => [place, known.has(place) ? null : version.document]),
      ),
    );

  readonly loadInForceAt = (source: string, time: string): Promise<readonly StoredDocument[]> =>
    Promise.resolve(
      this.#versions
        .filter(
          (version) =>
            version.source === source &&
            version.document.validFrom <= time &&
            (version.validTo === null || time < version.validTo),
        )
        .map(({ document }) => document),
    );

  readonly loadDefaultsAt = async (
    queries: readonly SourceAt[],
  ): Promise<readonly (readonly StoredDocument[])[]> => {
    const lists = await Promise.all(queries.map(({ source, time }) => this.loadInForceAt(source, time)));
    return lists.map((list) => list.filter(({ role }) => role === 'Defaults'));
  };

  readonly loadEnded = (source: string, time: string): Promise<readonly EndedDocument[]> =>
    Promise.resolve(
      this.#versions
        .filter((version) => version.source === source && version.validTo === time)
        .map(({ document, departure }) => ({ document, departure })),
    );

  readonly save = (change: RevisionChange): Promise<void> => {
    const { source } = change.state;
    for (const key of change.end) this.#end(source, key, { validTo: change.time, departure: key.departure });
    for (const key of change.put) this.#end(source, key, { validTo: change.time, departure: null });
    for (const document of change.put)
      this.#versions.push({ source, document, validTo: null, departure: null });
    if (change.revision !== null) this.#revisions.push(change.revision);
    this.#sources.set(source, change.state);
    return Promise.resolve();
  };

  readonly listRevisions = (source: string, limit: number): Promise<readonly RevisionRecord[]> =>
    Promise.resolve(
      this.#revisions
        .filter((revision) => revision.source === source)
        .toReversed()
        .slice(0, Math.min(limit, 100)),
    );

  readonly loadLatestRevision = (source: string, commit: string): Promise<RevisionRecord | undefined> =>
    Promise.resolve(
      this.#revisions.findLast((revision) => revision.source === source && revision.commit.hash === commit),
    );

  readonly loadRevisions = (
    queries: readonly RevisionQuery[],
  ): Promise<readonly (RevisionRecord | undefined)[]> =>
    Promise.resolve(
      queries.map(({ source, by, outcomes }) =>
        this.#revisions.findLast(
          (revision) =>
            revision.source === source &&
            ('commit' in by ? revision.commit.hash === by.commit : revision.finishedAt === by.finishedAt) &&
            outcomes.some((outcome) => outcome === revision.outcome),
        ),
      ),
    );

  readonly loadVersionsAt = (queries: readonly PolicyAt[]): Promise<readonly (PolicyVersion | undefined)[]> =>
    Promise.all(
      queries.map(async ({ namespace, name, time }) => {
        const found = this.#versions.findLast(
          ({ document, validTo }) =>
            document.role === 'Policy' &&
            document.namespace === namespace &&
            document.name === name &&
            document.validFrom <= time &&
            (validTo === null || time < validTo),
        );
        return found === undefined ? undefined : this.#versionOf(found);
      }),
    );

  readonly loadVersions = (
    queries: readonly VersionsQuery[],
  ): Promise<readonly (readonly ListedVersion[])[]> =>
    Promise.all(
      queries.map(({ namespace, name, before, limit }) => {
        const found = this.#versions
          .map((version, index) => ({ version, place: BigInt(index) }))
          .filter(({ version: { document } }) => document.role === 'Policy')
          .filter(({ version: { document } }) => document.namespace === namespace && document.name === name)
          .filter(({ place }) => before === undefined || place < before)
          .toReversed()
          .slice(0, limit)
          .map(async ({ version, place }) => ({ version: await this.#versionOf(version), place }));
        return Promise.all(found);
      }),
    );

  async #versionOf(version: Version): Promise<PolicyVersion> {
    const { document, source, validTo, departure } = version;
    const ended = { ...document, source, validTo, departure };
    return { ...ended, ...((await loadRemovals([ended], this.loadRevisions)).get(ended) ?? noRemoval) };
  }

  #end(source: string, key: StoredDocumentKey, ended: Pick<Version, 'validTo' | 'departure'>): void {
    const version = this.#versions.find(
      (candidate) =>
        candidate.source === source && candidate.validTo === null && isSameKey(candidate.document, key),
    );
    if (version !== undefined) Object.assign(version, ended);
  }
}

function isSameKey(one: StoredDocumentKey, other: StoredDocumentKey): boolean {
  return (
    one.role === other.role &&
    one.namespace === other.namespace &&
    one.name === other.name &&
    (one.role === 'Policy' || (one.tenant === other.tenant && one.file === other.file))
  );
}
