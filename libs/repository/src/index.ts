export type { Admission, AdmissionInput, TenantAdmission } from './admission/admission.ts';
export { admit, admitInSteps, prepareAdmission } from './admission/admit.ts';
export { slipsFirst } from './admission/causes-first.ts';
export { explainNothing, isLookedAt, type NothingTaken } from './admission/explain-nothing.ts';
export { findConflictsInSteps } from './admission/find-conflicts.ts';
export {
  findHoldsInSteps,
  type HoldCause,
  type HoldCauseCode,
  type HoldInput,
  type HoldScope,
  type ProposedHold,
  proposeHold,
  type ResultingTenant,
  resultOf,
} from './admission/find-holds.ts';
export { findMovesInSteps, type Move } from './admission/find-moves.ts';
export {
  describeCounts,
  type HoldEffect,
  holdEffect,
  type PolicyChange,
  type PolicyOutline,
} from './admission/hold-effect.ts';
export {
  type DocumentInForce,
  type ForeignPolicy,
  identityKey,
  type SourceInForce,
  targetKey,
} from './admission/in-force.ts';
export { judgeBounds, type OtherBounds } from './admission/judge-bounds.ts';
export { neighboursBefore } from './admission/neighbours-before.ts';
export { PolicyDigests } from './admission/policy-digests.ts';
export { keepsWhatItOwns } from './admission/released.ts';
export {
  findDefaultsBehind,
  type ResolveCache,
  type ResolveContext,
  resolveDocuments,
  type ResolvedPolicy,
  type ResolvedSet,
} from './admission/resolve-documents.ts';
export { isSameJson } from './admission/same-json.ts';
export { type CountBefore, mayTakeFrom } from './admission/scale-ins.ts';
export { type Overlays } from './documents/overlays.ts';
export { type DocumentCache, PolicyFileCache, type PolicyFileReader } from './documents/policy-file-cache.ts';
export { readRepository, readRepositoryInSteps, type RepositoryInput } from './documents/read-repository.ts';
export type {
  DocumentRole,
  FileStatus,
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
  UntakenDocument,
} from './documents/repository-reading.ts';
export { findTenantProblems, type TenantProblem } from './files/find-tenant-problems.ts';
export { globProblem } from './files/glob.ts';
export type { IgnoreFile } from './files/ignore-rules.ts';
export {
  defaultRepositoryLimits,
  type ManagedNamespaces,
  type RepositoryLimits,
  type RepositoryOptions,
  rootTenant,
  type TenantLimits,
  type TenantOptions,
} from './files/repository-options.ts';
export { type LeftOutReason, listIgnoreFiles } from './files/select-files.ts';
export { type SurveyedFile, surveyTree } from './files/survey-tree.ts';
export { type FileContent, isBelow, normalPath, type TreeFile } from './files/tree-file.ts';
export { isReadPath } from './kustomize/is-read-path.ts';
export { isKustomizationFile } from './kustomize/kustomization.ts';
export { listOverlayFiles, listPatchFiles } from './kustomize/list-overlay-files.ts';
export {
  OverlayCache,
  type OverlayContent,
  type OverlayFile,
  parseOverlayFile,
} from './kustomize/overlay-file.ts';
export { readOverlays, readOverlaysInSteps } from './kustomize/read-overlays.ts';
