export { type ActivePolicy, policyKeyOf, type PolicyOrigin } from './model/active-policy.ts';
export { describeCause, describeScaling } from './describe/describe-scaling.ts';
export type { ReadFailure } from './model/read-failure.ts';
export { isSameTarget, type ScaleTarget, scaleTargetOf } from './model/scale-target.ts';
export type { ActivePoliciesPort } from './ports/active-policies.port.ts';
export { FakeActivePolicies } from './ports/active-policies.fake.ts';
export type { ClockPort } from './ports/clock.port.ts';
export { FakeClock } from './ports/clock.fake.ts';
export type { EventSubject, KubernetesEvent, KubernetesEventsPort } from './ports/kubernetes-events.port.ts';
export { FakeKubernetesEvents } from './ports/kubernetes-events.fake.ts';
export type { LogLine, LogPort } from './ports/log.port.ts';
export { FakeLog } from './ports/log.fake.ts';
export type { MetricsPort, MetricsQuery, MetricsTick } from './ports/metrics.port.ts';
export { FakeMetrics, type FakeMetricsAnswer } from './ports/metrics.fake.ts';
export type {
  NativeAutoscaler,
  NativeAutoscalerListing,
  NativeAutoscalersPort,
} from './ports/native-autoscalers.port.ts';
export { FakeNativeAutoscalers } from './ports/native-autoscalers.fake.ts';
export type { OwnersPort, OwnersQuery, OwnersReading } from './ports/owners.port.ts';
export { FakeOwners } from './ports/owners.fake.ts';
export type { PodListing, PodQuery, PodsPort } from './ports/pods.port.ts';
export { FakePods } from './ports/pods.fake.ts';
export type {
  ReplicaChange,
  ReplicaChangeListener,
  ReplicaChangesPort,
} from './ports/replica-changes.port.ts';
export { FakeReplicaChanges } from './ports/replica-changes.fake.ts';
export type {
  ReplicasWriter,
  ScaleFreshness,
  ScalePort,
  ScaleQuery,
  ScaleReading,
  ScaleState,
  ScaleWrite,
  ScaleWriteFailure,
  ScaleWriteOutcome,
} from './ports/scale.port.ts';
export { FakeScales, type FakeWriteFault } from './ports/scale.fake.ts';
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
} from './sync/ports/git.port.ts';
export type { PassReport, PassReportsPort } from './ports/pass-reports.port.ts';
export { FakePassReports } from './ports/pass-reports.fake.ts';
export type { WindowsPort } from './ports/windows.port.ts';
export { FakeWindows } from './ports/windows.fake.ts';
export type { PassOutcome } from './outcome/pass-outcome.ts';
export type { ReadyCondition } from './outcome/present-outcome.ts';
export type { ReconcileOptions, ReconcilePorts } from './pass/pass.ts';
export type { ControllerMode } from './plan/plan-write.ts';
export { Reconciler, type ReconcilerParts } from './reconciler.ts';
export type { ParsedFile, PolicyParserPort } from './sync/ports/policy-parser.port.ts';
export { InProcessParser } from './sync/in-process-parser.ts';
export { batchBytes, batchFiles } from './sync/parse-files.ts';
export { ActivePolicySet, type HeldDocument } from './sync/active-policy-set.ts';
export {
  type EndedDocument,
  type PolicyVersion,
  type RevisionChange,
  type RevisionRecord,
  type RevisionStorePort,
  type SourceState,
  type StoredDocument,
  type StoredDocumentKey,
} from './sync/ports/revision-store.port.ts';
export { FakeRevisionStore } from './sync/ports/revision-store.fake.ts';
export { type FakeChanges, type FakeCommitOptions, FakeGit, type FakeRemote } from './sync/ports/git.fake.ts';
export type { RunEntries, SyncJournalPort } from './sync/ports/sync-journal.port.ts';
export { FakeSyncJournal, type SyncJournalFault } from './sync/ports/sync-journal.fake.ts';
export {
  type BlastRadius,
  defaultBlastRadius,
  defaultFetchLimits,
  type SourceConfiguration,
  type VerifyOptions,
} from './sync/source-configuration.ts';
export { type OperatorRequest, SourceSync } from './sync/source-sync.ts';
export type { SyncPorts } from './sync/sync-ports.ts';
export { RetiredSource } from './sync/retired-source.ts';
export type { SyncOutcome } from './sync/sync-outcome.ts';
export type { Hold } from './sync/brakes.ts';
export { type ApprovalRight, type Approver, mayApprove, type Participants } from './sync/may-approve.ts';
export type { CommitStatus, ForgePort, PullRequest, PullRequestStorePort } from './sync/ports/forge.port.ts';
export { FakePullRequestStore } from './sync/ports/pull-request-store.fake.ts';
export { pullRequestOfMessage } from './sync/pull-request-of-message.ts';
