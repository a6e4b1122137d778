import type {
  ActiveDocument,
  Hold,
  LastSync,
  ListedVersion,
  LookRehearsal,
  OperatorRequest,
  Participants,
  PolicyAt,
  PolicyVersion,
  RevisionQuery,
  RevisionRecord,
  RollbackRehearsal,
  SourceAt,
  SourceTurn,
  StoredDocument,
  SyncOutcome,
  VersionsQuery,
} from '#git-sync';
import type { CommitReference } from '#ledger';
import type { LeaveTarget } from '#reconciliation';
import type { OtherBounds } from '#repository';

/** A source as it stands. */
export interface SourceView {
  readonly name: string;
  /** The configuration no longer names it: all that can be decided is its hold. */
  readonly isRetired: boolean;
  /** Without credentials. */
  readonly url: string;
  readonly ref: string;
  /** The newest commit of which anything is in force; null before the first activation. */
  readonly commit: CommitReference | null;
  readonly holds: readonly Hold[];
  /** The revision it was rolled back to; null: it follows its ref. */
  readonly pin: {
    readonly commit: string;
    readonly by: string;
    readonly reason: string;
    readonly time: string;
  } | null;
  /** Policies (`shop/checkout`) that were released by name. */
  readonly released: readonly {
    readonly policy: string;
    readonly by: string;
    readonly reason: string;
    readonly time: string;
    /** What carries its target on, where everything was released; absent: it was released by its name. */
    readonly leavesTo?: LeaveTarget;
  }[];
  /** The latest look; null before the first. */
  readonly lastSync: LastSync | null;
  /** Since when every look has failed, RFC 3339; null: the last look worked. */
  readonly staleSince: string | null;
  /** Whether an approver whose address is unknown may approve. */
  readonly unknownApprovers: 'Refused' | 'Allowed';
}

/** What operators can do with sources; who may is decided before. Errors: `AdapterError`. */
export interface SourceOperations {
  readonly listSources: () => readonly SourceView[];
  readonly sync: (source: string) => Promise<SyncOutcome>;
  /** Looks that failed since the start, by source. */
  readonly syncFailures: () => ReadonlyMap<string, number>;
  readonly participants: (source: string, hold: Hold) => Promise<Participants>;
  /**
   * Does work while nothing else is done to the source: what it checks there still holds where it acts.
   *
   * @throws what the work throws; AdapterError `TurnTimeout` where the turn does not come in time: then nothing is done.
   */
  readonly inTurn: <T>(source: string, work: (turn: SourceTurn) => Promise<T>) => Promise<T>;
  /** What a rollback would do now; nothing is done. */
  readonly rehearseRollBack: (
    source: string,
    commit: string,
    request: OperatorRequest,
  ) => Promise<RollbackRehearsal>;
  /** What the look after the end of a rollback, or of a policy's release, would come to now; nothing is put into force. */
  readonly rehearseResume: (
    source: string,
    request: OperatorRequest & { readonly policy?: string },
  ) => Promise<LookRehearsal>;
  /** What a look would come to now; nothing is put into force. */
  readonly rehearseSync: (source: string) => Promise<LookRehearsal>;
  /** The namespaces of the policies that were in force with a commit; null: the source was never at it as a whole. */
  readonly namespacesAt: (source: string, commit: string) => Promise<readonly string[] | null>;
  /** Whether a policy (`shop/checkout`) of the source is in force. */
  readonly hasPolicy: (source: string, policy: string) => boolean;
  /** Why a policy (`shop/checkout`) of the source may not have those bounds, in sentences. */
  readonly judgeBounds: (source: string, policy: string, bounds: OtherBounds) => readonly string[];
  /** Newest first, at most 100. */
  readonly listRevisions: (source: string, limit: number) => Promise<readonly RevisionRecord[]>;
  /** What the newest judgement of a commit came to, however long ago; undefined: none is known. */
  readonly latestRevision: (source: string, commit: string) => Promise<RevisionRecord | undefined>;
  /** The lines of a commit's files at some places; null where one cannot be told. */
  readonly loadLines: (
    source: string,
    commit: string,
    places: readonly { readonly file: string; readonly line: number }[],
  ) => Promise<readonly (string | null)[]>;
  /** What 1 to 100 commits went through as they came into force, one each; undefined: none is known. */
  readonly findRevisions: (
    queries: readonly RevisionQuery[],
  ) => Promise<readonly (RevisionRecord | undefined)[]>;
  /** The versions of 1 to 100 policies, a list each, newest first. */
  readonly listVersions: (
    queries: readonly VersionsQuery[],
  ) => Promise<readonly (readonly ListedVersion[])[]>;
  /** Which policies of 1 to 100 names were in force at moments, one each. */
  readonly versionsAt: (queries: readonly PolicyAt[]) => Promise<readonly (PolicyVersion | undefined)[]>;
  /** What a source has in force. */
  readonly documentsInForce: (source: string) => readonly ActiveDocument[];
  /** The PolicyDefaults that 1 to 100 sources had in force, a list each. */
  readonly defaultsAt: (queries: readonly SourceAt[]) => Promise<readonly (readonly StoredDocument[])[]>;
}
