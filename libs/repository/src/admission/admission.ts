import type {
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
} from '../documents/repository-reading.ts';
import type { RepositoryOptions } from '../files/repository-options.ts';
import type { LossInput } from './commit-index.ts';
import type { DocumentInForce, ForeignPolicy, SourceInForce } from './in-force.ts';
import type { ResolveContext, ResolvedPolicy } from './resolve-documents.ts';

/** What a commit is judged with. */
export interface AdmissionInput extends Omit<LossInput, 'inForce'> {
  readonly reading: RepositoryReading;
  /** Without policies that an approver released by name: they are not in force. */
  readonly inForce: SourceInForce;
  readonly options: RepositoryOptions;
  readonly context: ResolveContext;
  /** Policies that other sources have in force. */
  readonly foreign: readonly ForeignPolicy[];
  /** Tenants that may not advance, whatever their documents say: held ones. */
  readonly heldBack: ReadonlySet<string>;
  /**
   * Policies (`shop/checkout`) that an approver released: they are not in force, whatever the commit says and whatever
   * becomes of their tenant.
   */
  readonly released: ReadonlySet<string>;
}

/** What a tenant's transaction came to. */
export type TenantStatus =
  /** Its documents of the commit are in force. */
  | 'Advances'
  /** It has errors, and keeps what is in force. */
  | 'Rejected'
  /** It is valid, and waits for the root, or for a tenant that a name moves to or from. */
  | 'Waiting'
  /** It may not advance. */
  | 'HeldBack';

/** One tenant's transaction. */
export interface TenantAdmission {
  readonly tenant: string;
  readonly status: TenantStatus;
  /** For `Waiting`: on what. */
  readonly waitsFor?: string;
  /** Its policies as they will be in force: new where it advances, else those in force under the resulting root. */
  readonly policies: readonly ResolvedPolicy[];
  /** All its documents as they will be in force. */
  readonly documents: readonly RepositoryDocument[];
  /** Those in force that leave. */
  readonly gone: readonly DocumentInForce[];
}

/** The judgement of a commit: one transaction per tenant, every error at once. */
export interface Admission {
  readonly tenants: readonly TenantAdmission[];
  /** Sorted by file, line and column. */
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Policies (`shop/checkout`) that are released, by name or by the commit. */
  readonly released: ReadonlySet<string>;
}
