import type { PolicyVersion, PullRequest, RevisionRecord } from '#git-sync';
import { entryId, type EntryOf, type LedgerEntry, type LedgerPort, type PolicyKey } from '#ledger';
import type { Principal } from '../auth/principal.ts';
import type { AuditTimeline } from './audit-timeline.ts';
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
  /** What the commit went through; null: the caller may not see all of its source. */
  readonly revision: RevisionRecord | null;
  /** The sync that brought the commit; null: not recorded, or the caller may not view every namespace. */
  readonly sync: EntryOf<'SyncRun'> | null;
  /** Who allowed the commit, as far as is known; null: nothing is. */
  readonly pullRequest: PullRequest | null;
  /** What the forge said of that; null: not recorded (yet), or the caller may not view every namespace. */
  readonly review: EntryOf<'CommitReview'> | null;
  /** What was announced to be written to Kubernetes. */
  readonly intents: readonly LedgerEntry[];
  /** What became of it. */
  readonly outcomes: readonly LedgerEntry[];
}

/** Entries after a decision among which its writes and their outcomes are: there are none between, but for a crash. */
const maximumFollowing = 100;

/** Follows a decision back to who allowed it, and on to what was written. */
export class BlameQueries {
  readonly #ledger: Pick<LedgerPort, 'streamEntries'>;
  readonly #timeline: AuditTimeline;
  readonly #sources: Pick<SourceOperations, 'versionAt' | 'findRevision'>;
  readonly #access: SourceAccess;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;

  constructor(ports: {
    readonly ledger: Pick<LedgerPort, 'streamEntries'>;
    readonly timeline: AuditTimeline;
    readonly sources: Pick<SourceOperations, 'versionAt' | 'findRevision'>;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
  }) {
    this.#ledger = ports.ledger;
    this.#timeline = ports.timeline;
    this.#sources = ports.sources;
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

  async #behind(caller: Principal, decision: EntryOf<'Decision'>): Promise<Blame> {
    const { policy, commit } = decision.payload;
    const version = (await this.#sources.versionAt(policy, decision.time)) ?? null;
    const [change, sync, review, pullRequest, revision, following] = await Promise.all([
      this.#newest(caller, 'PolicyChange', { policy, commit: commit?.hash }),
      this.#newest(caller, 'SyncRun', { commit: commit?.hash }),
      this.#newest(caller, 'CommitReview', { commit: commit?.hash }),
      commit === null ? null : this.#pullRequests.find(commit.hash),
      this.#revision(caller, version?.source, commit?.hash),
      this.#ledger.streamEntries({ stream: decision.stream, after: decision.seq, limit: maximumFollowing }),
    ]);
    const origin = { version, change, revision, sync, pullRequest, review };
    return { decision, ...origin, ...writesOf(entryId(decision), following) };
  }

  async #newest<K extends 'PolicyChange' | 'SyncRun' | 'CommitReview'>(
    caller: Principal,
    kind: K,
    { policy, commit }: { readonly policy?: PolicyKey; readonly commit?: string | undefined },
  ): Promise<EntryOf<K> | null> {
    if (commit === undefined) return null;
    const page = await this.#timeline.listEntries(caller, { first: 1 }, { kind, policy, commit });
    return page.items[0]?.item ?? null;
  }

  async #revision(
    caller: Principal,
    source: string | undefined,
    commit: string | undefined,
  ): Promise<RevisionRecord | null> {
    if (source === undefined || commit === undefined || !this.#access.isWholeVisible(caller, source))
      return null;
    return (await this.#sources.findRevision(source, commit)) ?? null;
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
