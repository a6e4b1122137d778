import type { JsonObject } from '#kernel';
import type { CommitReference } from '#reconciliation';
import type { Admission, TenantDiagnostic } from '#repository';
import type { Hold } from '../holds/approvals.ts';
import type { ResolvedHolds } from '../holds/resolve-holds.ts';
import type { CommitInfo } from '../ports/git.port.ts';
import type { CommitSignature } from './load-source-causes.ts';

/** What a revision is described by. */
export interface RevisionInput {
  readonly admission: Admission;
  readonly commit: CommitInfo;
  readonly otherKinds: Readonly<Record<string, number>>;
  readonly holds: ResolvedHolds;
  /** Of the commits whose signature was checked. */
  readonly signatures: readonly CommitSignature[];
  readonly timings: RevisionTimings;
}

/** How long the parts of a judgement took, in whole milliseconds. */
export interface RevisionTimings {
  /** Ancestry and signatures. */
  readonly verifyMilliseconds: number;
  /** Loading what changed, and parsing it. */
  readonly readMilliseconds: number;
  /** Admission and approvals. */
  readonly admitMilliseconds: number;
}

/** An entry holds at most this many diagnostics; the revision has them all. */
const maximumRunDiagnostics = 100;

/** The commit as entries name it. */
export function commitReference(commit: CommitInfo): CommitReference {
  const { hash, author, subject, committer } = commit;
  return { hash, author: `${author.name} <${author.email}>`, subject, time: committer.time };
}

/** The diagnostics of an entry, errors first. */
export function runDiagnostics(admission: Admission): readonly JsonObject[] {
  return errorsFirst(admission).slice(0, maximumRunDiagnostics).map(diagnosticRecord);
}

/** What rejects a commit is read before what only warns. */
function errorsFirst({ diagnostics }: Admission): readonly TenantDiagnostic[] {
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ severity }: TenantDiagnostic): number {
  return ['error', 'warning', 'note'].indexOf(severity);
}

/** What an outcome's diagnostics are recorded as. */
export function diagnosticRecord(diagnostic: TenantDiagnostic): JsonObject {
  const { severity, code, message, file, line, column, hint, tenant } = diagnostic;
  return { severity, code, message, file, line, column, hint: hint ?? null, tenant };
}

/** What a revision keeps beside its commit and its outcome. */
export function revisionDetails(input: RevisionInput): JsonObject {
  const { commit, admission, otherKinds } = input;
  return {
    author: { ...commit.author },
    committer: { ...commit.committer },
    message: commit.message,
    parents: commit.parents,
    signatures: input.signatures.map(signatureRecord),
    timings: { ...input.timings },
    tenants: admission.tenants.map(({ tenant, status, waitsFor, policies }) => ({
      tenant,
      status,
      waitsFor: waitsFor ?? null,
      policies: policies.length,
    })),
    diagnostics: errorsFirst(admission).map(diagnosticRecord),
    holds: input.holds.open.map(holdRecord),
    otherKinds,
  };
}

/** A hold as a revision keeps it. */
export function holdRecord({ scope, causes, digest }: Hold): JsonObject {
  return { scope: { ...scope }, digest, causes: causes.map((cause) => ({ ...cause })) };
}

/** `{commit, status, by, signer, fingerprint, reason, accepted}`; null is what the check does not say. */
function signatureRecord({ commit, signature, isAccepted }: CommitSignature): JsonObject {
  const none = { by: null, signer: null, fingerprint: null, reason: null };
  const { status, by, signer, fingerprint, reason } = { ...none, ...signature };
  return { commit, status, by, signer, fingerprint, reason, accepted: isAccepted };
}
