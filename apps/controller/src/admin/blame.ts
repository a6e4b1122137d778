import type { PolicyAt, PolicyVersion, PullRequest, RevisionQuery, RevisionRecord } from '#git-sync';
import { entryId, type EntryOf, type LedgerEntry, type PolicyKey } from '#ledger';
import type { Principal } from '../auth/principal.ts';
import type { AuditTimeline } from './audit-timeline.ts';
import { Batch } from './batch.ts';
import type { BatchedLedger } from './batched-ledger.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';
import type { SourceAccess } from './source-access.ts';
import type { SourceOperations } from './source-operations.ts';

/** Everything that stands behind a decision, and everything that followed from it. */
export interface Blame {
  readonly decision: EntryOf<'Decision'>;
  /** The policy as it was in force; null: it is not known. */
  readonly version: PolicyVersion | null;
  /** The entry of its coming into force as it is; null: it is not recorded, or has expired. */
  readonly change: EntryOf<'PolicyChange'> | null;
  /** What the commit went through as that version came into force; null: the caller may not see all of its source. */
  readonly revision: RevisionRecord | null;
  /** The sync by which the commit brought that version; null: not recorded, or the caller may not view every namespace. */
  readonly sync: EntryOf<'SyncRun'> | null;
  /** What the forge said of who allowed the commit; null: not recorded (yet), or the caller may not view every namespace. */
  readonly review: EntryOf<'CommitReview'> | null;
  /** What was announced to be written to Kubernetes. */
  readonly intents: readonly LedgerEntry[];
  /** What became of it. */
  readonly outcomes: readonly LedgerEntry[];
}

/** What a source answers in one read. */
const maximumBatch = 100;

/**
 * Follows a decision back to who allowed it, and on to what was written. The decisions of one answer are followed together:
 * each relation is one read.
 */
export class BlameQueries {
  readonly #ledger: Pick<BatchedLedger, 'writesAfter'>;
  readonly #timeline: AuditTimeline;
  readonly #versions: Batch<PolicyAt, PolicyVersion | undefined>;
  readonly #revisions: Batch<RevisionQuery, RevisionRecord | undefined>;
  readonly #access: SourceAccess;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;

  constructor(ports: {
    readonly ledger: Pick<BatchedLedger, 'writesAfter'>;
    readonly timeline: AuditTimeline;
    readonly sources: Pick<SourceOperations, 'versionsAt' | 'findRevisions'>;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
  }) {
    this.#ledger = ports.ledger;
    this.#timeline = ports.timeline;
    this.#versions = new Batch({
      load: (queries) => ports.sources.versionsAt(queries),
      maximumQueries: maximumBatch,
    });
    this.#revisions = new Batch({
      load: (queries) => ports.sources.findRevisions(queries),
      maximumQueries: maximumBatch,
      keyOf: ({ source, commit, finishedBy = '' }) => `${commit} ${finishedBy} ${source}`,
    });
    this.#access = ports.access;
    this.#pullRequests = ports.pullRequests;
  }

  /** Of one decision, by its id, without what it observed; null: the caller may see none of it. */
  async blame(caller: Principal, id: string): Promise<Blame | null> {
    const decision = await this.#timeline.findEntry(caller, id, { isWithoutObservations: true });
    return decision?.kind === 'Decision' ? this.#behind(caller, decision) : null;
  }

  /** Of a policy's latest decision; null: there is none, or the caller may not see it. */
  async blameOfLatest(caller: Principal, policy: PolicyKey): Promise<Blame | null> {
    const filter = { kind: 'Decision', policy, isWithoutObservations: true } as const;
    const { items } = await this.#timeline.listEntries(caller, { first: 1 }, filter);
    const [latest] = items;
    return latest === undefined ? null : this.#behind(caller, latest.item);
  }

  /** Who allowed the decision's commit, as far as is known; null: nothing is. */
  async pullRequestOf({ decision }: Pick<Blame, 'decision'>): Promise<PullRequest | null> {
    const { commit } = decision.payload;
    return commit === null ? null : this.#pullRequests.find(commit.hash);
  }

  async #behind(caller: Principal, decision: EntryOf<'Decision'>): Promise<Blame> {
    const { policy, commit } = decision.payload;
    const version = (await this.#versions.read({ ...policy, time: decision.time })) ?? null;
    // A rollback may bring the same commit into force again, later.
    const through = version?.validFrom ?? decision.time;
    const [change, sync, review, revision, following] = await Promise.all([
      this.#newest(caller, 'PolicyChange', { policy, commit: commit?.hash, through }),
      this.#newest(caller, 'SyncRun', { commit: commit?.hash, through }),
      this.#newest(caller, 'CommitReview', { commit: commit?.hash }),
      this.#revision(caller, version, commit?.hash),
      this.#ledger.writesAfter(decision),
    ]);
    const origin = { version, change, revision, sync, review };
    return { decision, ...origin, ...writesOf(entryId(decision), following) };
  }

  async #newest<K extends 'PolicyChange' | 'SyncRun' | 'CommitReview'>(
    caller: Principal,
    kind: K,
    {
      commit,
      ...filter
    }: { readonly policy?: PolicyKey; readonly commit: string | undefined; readonly through?: string },
  ): Promise<EntryOf<K> | null> {
    if (commit === undefined) return null;
    const page = await this.#timeline.listEntries(caller, { first: 1 }, { kind, commit, ...filter });
    return page.items[0]?.item ?? null;
  }

  async #revision(
    caller: Principal,
    version: PolicyVersion | null,
    commit: string | undefined,
  ): Promise<RevisionRecord | null> {
    if (version === null || commit === undefined) return null;
    const { source, validFrom } = version;
    if (!this.#access.isWholeVisible(caller, source)) return null;
    const outcomes = ['active', 'partial'] as const;
    return (await this.#revisions.read({ source, commit, outcomes, finishedBy: validFrom })) ?? null;
  }
}

/** What a decision asked to be written, among the entries that follow it in its stream. */
function writesOf(decision: string, following: readonly LedgerEntry[]): Pick<Blame, 'intents' | 'outcomes'> {
  const intents = following.filter(
    (entry) =>
      (entry.kind === 'ScalingIntent' || entry.kind === 'ActuationIntent') &&
      entry.payload.decision === decision,
  );
  const ids = new Set<string | null>(intents.map(entryId));
  const outcomes = following.filter(
    (entry) =>
      (entry.kind === 'ScalingEvent' ||
        entry.kind === 'ScalingFailure' ||
        entry.kind === 'ActuationOutcome') &&
      ids.has(entry.payload.intent),
  );
  return { intents, outcomes };
}
