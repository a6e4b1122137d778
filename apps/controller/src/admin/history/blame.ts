import {
  type AllowingAction,
  allowingActionsOf,
  type PolicyAt,
  type PolicyVersion,
  type PullRequest,
  type RevisionQuery,
  type RevisionRecord,
} from '#git-sync';
import { entryId, type EntryOf, type LedgerEntry, type PolicyKey } from '#ledger';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { type BlamePart, type NotVisible, notVisible } from '../access/not-visible.ts';
import { Batch } from '../requests/batch.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import type { AuditFilter, AuditTimeline } from './audit-timeline.ts';
import type { BatchedLedger } from './batched-ledger.ts';
import type { DecisionInterventions } from './decision-interventions.ts';
import type { PastIntervention } from './past-interventions.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';

/** Everything that stands behind a decision, and everything that followed from it. */
export interface Blame {
  readonly decision: EntryOf<'Decision'>;
  /** The policy as it was in force; null: it is not known. */
  readonly version: PolicyVersion | null;
  /** The entry of its coming into force as it is; null: it is not recorded, or has expired. */
  readonly change: EntryOf<'PolicyChange'> | null;
  /** By which that version came into force, a rollback's as well; null: the caller may not see all of its source. */
  readonly revision: RevisionRecord | null;
  /**
   * What operators did without which that version would not have come into force; null: that was not kept by the release
   * that put it into force, or the caller may not see all of its source.
   */
  readonly allowedBy: readonly AllowingAction[] | null;
  /** The same of its end; null: it has not left, or as above. */
  readonly removalAllowedBy: readonly AllowingAction[] | null;
  /** The run that put that version into force; null: not recorded, or the caller may not view every namespace. */
  readonly sync: EntryOf<'SyncRun'> | null;
  /** What the forge said of who allowed the commit; null: not recorded (yet), or the caller may not view every namespace. */
  readonly review: EntryOf<'CommitReview'> | null;
  /** Which of them are left out since the caller may not see them, whether or not there is anything to see. */
  readonly notVisible: readonly NotVisible<BlamePart>[];
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
  readonly #interventions: Pick<DecisionInterventions, 'find'>;

  constructor(ports: {
    readonly ledger: Pick<BatchedLedger, 'writesAfter'>;
    readonly timeline: AuditTimeline;
    readonly sources: Pick<SourceOperations, 'versionsAt' | 'findRevisions'>;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
    readonly interventions: Pick<DecisionInterventions, 'find'>;
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
      keyOf: ({ source, by }) => `${source} ${'commit' in by ? by.commit : by.finishedAt}`,
    });
    this.#access = ports.access;
    this.#pullRequests = ports.pullRequests;
    this.#interventions = ports.interventions;
  }

  /** Of one decision, by its id, without what it observed; null: the caller may see none of it. */
  async blame(caller: Principal, id: string): Promise<Blame | null> {
    const decision = await this.#timeline.findEntry(caller, id, { isWithoutObservations: true });
    return decision?.kind === 'Decision' ? this.#behind(caller, decision) : null;
  }

  /** Of a policy's latest decision; null: there is none, or the caller may not see it. */
  async blameOfLatest(caller: Principal, policy: PolicyKey): Promise<Blame | null> {
    const latest = await this.#timeline.latestDecision(caller, policy);
    return latest === null ? null : this.#behind(caller, latest);
  }

  /** Who allowed the decision's commit, as far as is known; null: nothing is. */
  async pullRequestOf({ decision }: Pick<Blame, 'decision'>): Promise<PullRequest | null> {
    const { commit } = decision.payload;
    return commit === null ? null : this.#pullRequests.find(commit.hash);
  }

  /** Those that stood as it was decided; null: there was more than is looked through. */
  interventionsAt({
    decision,
    version,
  }: Pick<Blame, 'decision' | 'version'>): Promise<readonly PastIntervention[] | null> {
    return this.#interventions.find({ decision, source: version?.source ?? null });
  }

  /**
   * What operators did without which a version would not have come into force; null: that was not kept, is not known, or the
   * caller may not see all of its source.
   */
  async allowedBy(caller: Principal, version: PolicyVersion): Promise<readonly AllowingAction[] | null> {
    const revision = await this.#revision(caller, version);
    return revision === null ? null : allowingActionsOf(revision.details, version);
  }

  /** What operators did without which a version would not have left; null: not known, or not all of its source is the caller's to see. */
  removalAllowedBy(caller: Principal, version: PolicyVersion | null): readonly AllowingAction[] | null {
    const isVisible = version !== null && this.#access.isWholeVisible(caller, version.source);
    return isVisible ? version.removalAllowedBy : null;
  }

  async #behind(caller: Principal, decision: EntryOf<'Decision'>): Promise<Blame> {
    const { policy, commit } = decision.payload;
    const version = (await this.#versions.read({ ...policy, time: decision.time })) ?? null;
    const revision = await this.#revision(caller, version);
    // A rollback, and a release that is taken back, bring versions of earlier commits into force.
    const through = version?.validFrom ?? decision.time;
    const by = revision?.commit ?? commit;
    const [change, sync, review, following] = await Promise.all([
      this.#change(caller, decision, version),
      by === null ? null : this.#newest(caller, 'SyncRun', { commit: by.hash, through }),
      commit === null ? null : this.#newest(caller, 'CommitReview', { commit: commit.hash }),
      this.#ledger.writesAfter(decision),
    ]);
    const allowedBy =
      version === null || revision === null ? null : allowingActionsOf(revision.details, version);
    const removalAllowedBy = this.removalAllowedBy(caller, version);
    const origin = { version, change, revision, allowedBy, removalAllowedBy, sync, review };
    const hidden = this.#notVisible(caller, version);
    return { decision, ...origin, notVisible: hidden, ...writesOf(entryId(decision), following) };
  }

  /** By its time, where that is known: the commit of a run is not always that of each version which it put. */
  async #change(
    caller: Principal,
    { time, payload: { policy, commit } }: EntryOf<'Decision'>,
    version: PolicyVersion | null,
  ): Promise<EntryOf<'PolicyChange'> | null> {
    if (version === null) {
      return commit === null
        ? null
        : this.#newest(caller, 'PolicyChange', { policy, commit: commit.hash, through: time });
    }
    const { validFrom } = version;
    const newest = await this.#newest(caller, 'PolicyChange', { policy, through: validFrom });
    return newest?.time === validFrom ? newest : null;
  }

  async #newest<K extends 'PolicyChange' | 'SyncRun' | 'CommitReview'>(
    caller: Principal,
    kind: K,
    filter: Pick<AuditFilter, 'policy' | 'commit' | 'through'>,
  ): Promise<EntryOf<K> | null> {
    const page = await this.#timeline.listEntries(caller, { first: 1 }, { kind, ...filter });
    return page.items[0]?.item ?? null;
  }

  #notVisible(caller: Principal, version: PolicyVersion | null): readonly NotVisible<BlamePart>[] {
    const isSourceVisible = version === null || this.#access.isWholeVisible(caller, version.source);
    return [
      ...(isSourceVisible ? [] : notVisible(['Revision', 'AllowedBy'], version.source)),
      ...(mayAct(caller, 'viewer', null) ? [] : notVisible(['Sync', 'Review'], null)),
    ];
  }

  async #revision(caller: Principal, version: PolicyVersion | null): Promise<RevisionRecord | null> {
    if (version === null || !this.#access.isWholeVisible(caller, version.source)) return null;
    const { source, validFrom } = version;
    const outcomes = ['active', 'partial'] as const;
    return (await this.#revisions.read({ source, by: { finishedAt: validFrom }, outcomes })) ?? null;
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
