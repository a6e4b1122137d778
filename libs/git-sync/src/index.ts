export { allowingActionsOf } from './activate/allowing-actions.ts';
export { type EndedVersion, loadRemovals, noRemoval } from './activate/load-removals.ts';
export { type ApprovalRight, type Approver, mayApprove, type Participants } from './approve/may-approve.ts';
export { pullRequestOfMessage } from './approve/pull-request-of-message.ts';
export { ConfiguredSource } from './configured-source.ts';
export { InProcessParser } from './fetch/in-process-parser.ts';
export { readTree, type TreeReading } from './fetch/read-tree.ts';
export type { Hold, Requester } from './holds/approvals.ts';
export { type ActiveDocument, ActivePolicySet } from './in-force/active-policy-set.ts';
export { type EffectiveValue, effectiveValues, type ValueOrigin } from './in-force/effective-values.ts';
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
export { type LastSync, type SyncOutcome, toldErrors } from './ports/sync-outcome.ts';
export { RetiredSource } from './retired-source.ts';
export {
  type BlastRadius,
  defaultBlastRadius,
  defaultFetchLimits,
  type SourceConfiguration,
  type VerifyOptions,
} from './setup/source-configuration.ts';
export { sourceProtocols, sourceUrlProblem } from './setup/source-url-problem.ts';
export type { SyncPorts } from './setup/sync-ports.ts';
export type {
  LookRehearsal,
  OperatorRequest,
  RollbackRehearsal,
  Source,
  SourceTurn,
} from './source/source.ts';
export type { SaveSource } from './source/source-record.ts';
