import type { JsonObject } from '#kernel';
import type { Diagnostic, Position } from '#policy';
import type { LeftOutReason } from '../files/select-files.ts';

/** What a document of ours is for. */
export type DocumentRole = 'Policy' | 'Defaults' | 'Guardrail' | 'Test';

/** A document of ours that is taken: its place, its identity, and what it says after kustomizations. */
export interface RepositoryDocument {
  readonly role: DocumentRole;
  /** The tenant of its file; empty: the root, or the one tenant of a source that names none. */
  readonly tenant: string;
  readonly kind: string;
  /** Empty where the document has none, which its validation reports. */
  readonly name: string;
  /** Of a policy: what kustomization, document, tenant or source say; empty where none does. */
  readonly namespace: string;
  readonly file: string;
  /** The blob that it was read from. */
  readonly blob: string;
  readonly position: Position;
  /** Whether a kustomization lists it: taking it off `resources` is then deleting it. */
  readonly isListed: boolean;
  /** With `metadata.namespace` as it ends, and labels and annotations of kustomizations. */
  readonly value: JsonObject;
  readonly locate: (path: readonly (string | number)[]) => Position;
}

/** Why a document of ours is not taken. */
export type UntakenReason = 'Patch' | 'NotListed' | 'NeedsRendering' | 'NamespaceNotManaged' | 'Unreadable';

/** A document of ours, or a file that may contain one, that is not taken. */
export interface UntakenDocument {
  readonly reason: UntakenReason;
  readonly tenant: string;
  readonly file: string;
  /** Empty where it could not be read. */
  readonly kind: string;
  readonly name: string;
  /** As written; empty where it names none. */
  readonly namespace: string;
  /** For `NamespaceNotManaged`: the namespace that it would be in, after kustomization, tenant and source. */
  readonly unmanagedNamespace?: string;
  /** What its kustomizations have against it, with the name of one. */
  readonly why?: string;
  readonly position: Position;
}

/** A document of another kind in a file that contained a policy in force: a kind may have been changed there. */
export interface OtherDocument {
  readonly file: string;
  readonly kind: string;
  readonly name: string;
  readonly position: Position;
}

/** A diagnostic and whom it concerns. */
export interface TenantDiagnostic extends Diagnostic {
  readonly tenant: string;
}

/** What became of one file. */
export interface FileStatus {
  readonly path: string;
  readonly blob: string;
  readonly tenant: string;
  /** `Read`: parsed whole; `Other`: contains no name of ours; `Unreadable`: parsed in part or not at all. */
  readonly status: 'Read' | 'Other' | 'Unreadable' | LeftOutReason;
}

/** Everything that a tree says about policies. */
export interface RepositoryReading {
  readonly documents: readonly RepositoryDocument[];
  readonly untaken: readonly UntakenDocument[];
  readonly others: readonly OtherDocument[];
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Every file of the tree with a YAML name. */
  readonly files: readonly FileStatus[];
  /** How many documents of each other kind there are, by `apiVersion kind`. */
  readonly otherKinds: Readonly<Record<string, number>>;
}
