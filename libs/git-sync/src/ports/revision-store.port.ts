import type { JsonObject } from '#kernel';
import type { OperatorReference, PolicyDeparture, SyncRunPayload } from '#ledger';
import type { CommitReference } from '#reconciliation';
import type { DocumentRole } from '#repository';

/** A document in force, as it is kept: enough to decide, to judge the next commit, and to say who allowed it. */
export interface StoredDocument {
  readonly role: DocumentRole;
  readonly tenant: string;
  readonly kind: string;
  /** Empty where the role has none. */
  readonly namespace: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly blob: string;
  /** Whether a kustomization lists it. */
  readonly isListed: boolean;
  /** As written, with what kustomizations set. */
  readonly value: JsonObject;
  /** Of a policy: with defaults applied. */
  readonly document: JsonObject | null;
  /** The line of each leaf of `value`, in its order; absent: it was stored by a release that did not keep them. */
  readonly lines?: readonly number[];
  readonly commit: CommitReference;
  /** RFC 3339. */
  readonly validFrom: string;
}

/** What names a document in force; the file distinguishes documents of roles without a namespace. */
export type StoredDocumentKey = Pick<StoredDocument, 'role' | 'tenant' | 'namespace' | 'name' | 'file'>;

/** A document that leaves, and how. */
export type LeavingDocument = StoredDocumentKey & { readonly departure: PolicyDeparture };

/** A document that is in force no more. */
export interface EndedDocument {
  readonly document: StoredDocument;
  /** How it left; null: a newer version followed. */
  readonly departure: PolicyDeparture | null;
}

/** What an operator did without which something would not have come into force, or left it. */
export interface AllowingAction {
  /** As the ledger's OperatorAction names it. */
  readonly action: 'ApproveHold' | 'RollBackSource' | 'ResumeSource';
  readonly by: string;
  /** Empty: an earlier release kept none. */
  readonly reason: string;
  /** RFC 3339; null: an earlier release kept none. */
  readonly time: string | null;
  /** Of the hold that was approved; null: the action was another one. */
  readonly digest: string | null;
}

/** A policy at a moment of the past. */
export interface PolicyVersion extends StoredDocument {
  readonly source: string;
  /** Null: still in force. */
  readonly validTo: string | null;
  /** How it left; null: it is in force, or a newer version followed. */
  readonly departure: PolicyDeparture | null;
  /** The commit that left it out; null: it did not leave, left otherwise, or that commit is not known. */
  readonly removedBy: CommitReference | null;
  /** Who released it or rolled it back; null: nobody did, or that is not known. */
  readonly removedByOperator: OperatorReference | null;
  /** What operators did without which it would not have left; null: it did not leave by a revision, or that is not known. */
  readonly removalAllowedBy: readonly AllowingAction[] | null;
}

/** Selects versions of one policy, newest first. */
export interface VersionsQuery {
  readonly namespace: string;
  readonly name: string;
  /** Only versions before this place; absent: from the newest. */
  readonly before?: bigint;
  /** 1 to 100. */
  readonly limit: number;
}

/** A source at a moment, RFC 3339. */
export interface SourceAt {
  readonly source: string;
  readonly time: string;
}

/** A version, and its place in the order in which they were stored. */
export interface ListedVersion {
  readonly version: PolicyVersion;
  readonly place: bigint;
}

/** Where a source stands; one row, replaced as a whole. */
export interface SourceState {
  readonly source: string;
  /** The configuration that the set in force was read with. */
  readonly configuration: JsonObject;
  /** The newest commit of which anything is in force; null before the first activation. */
  readonly commit: CommitReference | null;
  /** The commit that each tenant's set was read from. */
  readonly tenants: Readonly<Record<string, string>>;
  /** The commit judged last, and what came of it. */
  readonly judged: { readonly commit: string; readonly outcome: string } | null;
  /** What is held, what was approved, what is pinned. */
  readonly brakes: JsonObject;
  /**
   * The run whose entries may not be in the ledger yet. Saved with what the run did and taken off after its entries are
   * durable; what it changed follows from the documents. Absent: everything is recorded.
   */
  readonly unrecorded?: UnrecordedRun;
}

/** A run that is in force, and perhaps not recorded. */
export interface UnrecordedRun {
  readonly run: SyncRunPayload;
  /** RFC 3339: when what it put came in force, and what it ended left. */
  readonly time: string;
}

/** A policy's name, and a moment. */
export interface PolicyAt {
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Selects what commits of a source went through. */
export interface RevisionQuery {
  readonly source: string;
  /** By the full object name of the commit, or by when, RFC 3339, it came to that: when versions that it put began. */
  readonly by: { readonly commit: string } | { readonly finishedAt: string };
  /** Any of them. */
  readonly outcomes: readonly RevisionOutcome[];
}

/** Those by which documents come into force: of every tenant, or of some. */
type RevisionOutcome = 'active' | 'partial';

/** What one commit went through. */
export interface RevisionRecord {
  readonly source: string;
  readonly commit: CommitReference;
  /** `active`, `held`, `rejected`. */
  readonly outcome: string;
  readonly message: string;
  /** RFC 3339. */
  readonly fetchedAt: string;
  readonly finishedAt: string;
  /** Author, committer, message, parents, signature, each tenant's status, diagnostics, counts, and `allowedBy`. */
  readonly details: JsonObject;
}

/** What becomes durable together. */
export interface RevisionChange {
  readonly state: SourceState;
  readonly revision: RevisionRecord | null;
  /** New versions; the one before of the same key ends. */
  readonly put: readonly StoredDocument[];
  readonly end: readonly LeavingDocument[];
  /** RFC 3339: when versions end. */
  readonly time: string;
}

/** Revisions and the documents in force. A dead Git server stops nothing, since everything needed is here. */
export interface RevisionStorePort {
  listSources(): Promise<readonly SourceState[]>;
  /**
   * All documents in force of a source, as of one moment, in the order of their places: a version has one of its own, and
   * never changes. Null: its place is `known`, and it was not read.
   */
  loadInForce(
    source: string,
    known?: Pick<ReadonlyMap<bigint, unknown>, 'has'>,
  ): Promise<ReadonlyMap<bigint, StoredDocument | null>>;
  /** The documents that a source had in force at a moment. */
  loadInForceAt(source: string, time: string): Promise<readonly StoredDocument[]>;
  /** The documents that a source had in force until exactly that moment. */
  loadEnded(source: string, time: string): Promise<readonly EndedDocument[]>;
  /** All or nothing. */
  save(change: RevisionChange): Promise<void>;
  /** Newest first; at most 100. */
  listRevisions(source: string, limit: number): Promise<readonly RevisionRecord[]>;
  /** The newest times that something came into force, one for each of 1 to 100 queries, in one read. */
  loadRevisions(queries: readonly RevisionQuery[]): Promise<readonly (RevisionRecord | undefined)[]>;
  /** The newest time that a commit was judged, whatever it came to. */
  loadLatestRevision(source: string, commit: string): Promise<RevisionRecord | undefined>;
  /** Which policies of 1 to 100 names were in force at moments, one each, in one read. */
  loadVersionsAt(queries: readonly PolicyAt[]): Promise<readonly (PolicyVersion | undefined)[]>;
  /** The versions of 1 to 100 policies, a list each, in one read. */
  loadVersions(queries: readonly VersionsQuery[]): Promise<readonly (readonly ListedVersion[])[]>;
  /** The PolicyDefaults that 1 to 100 sources had in force, a list each, in one read. */
  loadDefaultsAt(queries: readonly SourceAt[]): Promise<readonly (readonly StoredDocument[])[]>;
}
