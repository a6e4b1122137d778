export { auditEntryKinds, policyStates } from './choices.ts';
export { buildOpenApi, type JsonMembers, linesType } from './openapi.ts';
export { type Operation, type OperationRole } from './operations/operation.ts';
export { allowedMethods, apiPrefix, operations } from './operations/operations.ts';
export { reportTypes } from './operations/report-operations.ts';
export type { ActionEffect, ActionPreview } from './resources/action-effect.ts';
export type { AuditEntry } from './resources/audit-entry.ts';
export type { Blame, PolicyVersion } from './resources/blame.ts';
export type { Caller } from './resources/caller.ts';
export type { PullRequest } from './resources/commit.ts';
export type { WireOf } from './resources/component.ts';
export type { Degradation, LedgerSeal, OrphanedHpa, ReportSchedule } from './resources/controller-state.ts';
export type { Decision, DecisionDetails, DecisionSummary } from './resources/decision.ts';
export type { EffectiveValues } from './resources/effective-value.ts';
export type { Fleet } from './resources/fleet.ts';
export type {
  BegunIntervention,
  Intervention,
  InterventionRequest,
  PastIntervention,
} from './resources/intervention.ts';
export type { LeaveReport, LeavingPolicy } from './resources/leave.ts';
export type { Policy } from './resources/policy.ts';
export type { PolicyDetails } from './resources/policy-details.ts';
export { type ExpiryBound, type Problem } from './resources/problem.ts';
export type { DecisionsAround, DryDecision, FlappingPolicies, PolicyChart } from './resources/question.ts';
export type { Replica, Shard, ShardCounts } from './resources/replica.ts';
export type { Report, ReportRequest } from './resources/report.ts';
export type { ScalingEvent } from './resources/scaling-event.ts';
export type { DeviceSignIn, SignInOffer } from './resources/sign-in.ts';
export type { Hold, ListedHold, Revision, Source, SyncResult } from './resources/source.ts';
export type { CreatedToken, Token, TokenRequest } from './resources/token.ts';
