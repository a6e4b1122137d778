export { type ActiveDocument, ActivePolicySet } from './activate/active-policy-set.ts';
export { type EffectiveValue, effectiveValues, type ValueOrigin } from './activate/effective-values.ts';
export { type EndedVersion, loadRemovals, noRemoval } from './activate/load-removals.ts';
export { allowingActionsOf } from './approve/allowing-actions.ts';
export type { Hold, Requester } from './approve/approvals.ts';
export { type ApprovalRight, type Approver, mayApprove, type Participants } from './approve/may-approve.ts';
export { pullRequestOfMessage } from './approve/pull-request-of-message.ts';
export { ConfiguredSource } from './configured-source.ts';
export { InProcessParser } from './fetch/in-process-parser.ts';
export { readTree, type TreeReading } from './fetch/read-tree.ts';
export type { CommitStatus, ForgePort, PullRequest, PullRequestStorePort } from './ports/forge.port.ts';
export type {
  Ancestry,
  BlobContent,
  BlobLimits,
  CommitInfo,
  CommitPerson,
  CommitRange,
  FetchLimits,
  GitCredentials,
  GitHubAppCredentials,
  GitLocation,
  GitPort,
  GitRepositoryPort,
  SignatureStatus,
  TreeEntry,
  TrustedSigners,
} from './ports/git.port.ts';
export type { LookStorePort } from './ports/look-store.port.ts';
export type { Parsed, ParsedFile, PolicyParserPort } from './ports/policy-parser.port.ts';
export type {
  AllowingAction,
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
} from './ports/revision-store.port.ts';
export type { SyncEventsPort } from './ports/sync-events.port.ts';
export type { RunEntries, SyncJournalPort } from './ports/sync-journal.port.ts';
export type { SyncPorts } from './ports/sync-ports.ts';
export { RetiredSource } from './retired-source.ts';
export type { LookRehearsal, OperatorRequest, RollbackRehearsal, Source, SourceTurn } from './source.ts';
export {
  type BlastRadius,
  defaultBlastRadius,
  defaultFetchLimits,
  type SourceConfiguration,
  type VerifyOptions,
} from './source-configuration.ts';
export type { SaveSource } from './source-record.ts';
export { sourceProtocols, sourceUrlProblem } from './source-url-problem.ts';
export { type LastSync, type SyncOutcome, toldErrors } from './sync-outcome.ts';
