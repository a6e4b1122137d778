import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type Admission, type HoldScope, identityKey } from '#repository';
import type { Approvals, OperatorDecision, Resumption } from '../holds/approvals.ts';
import type { ResolvedHolds } from '../holds/resolve-holds.ts';
import type { CommitSignature } from '../judge/load-source-causes.ts';
import type { AllowingAction, SourceState, StoredDocument } from '../ports/revision-store.port.ts';

/** As a revision keeps it: with what of the revision it let in. */
interface RecordedAction extends AllowingAction {
  /** Null: every tenant. */
  readonly tenants: readonly string[] | null;
  /** The policy (`shop/checkout`) whose release was taken back; null: whatever came into force. */
  readonly policy: string | null;
}

/** The part of an activation by which it is told what let it happen. */
interface AllowedActivation {
  readonly approvals: Approvals;
  readonly holds: ResolvedHolds;
  readonly admission: Pick<Admission, 'tenants'>;
  /** Of the commits whose signature was checked. */
  readonly signatures: readonly Pick<CommitSignature, 'commit' | 'isAccepted'>[];
  /** Before the commit was judged. */
  readonly state: Pick<SourceState, 'tenants'>;
}

/** What operators did to let a commit into force: approvals, the end of a rollback, and releases that were taken back. */
export function actionsOfActivation(
  activation: AllowedActivation,
  put: readonly { readonly stored: StoredDocument }[],
): readonly JsonObject[] {
  const { approvals, holds, admission } = activation;
  const advancing = advancingOf(admission.tenants);
  const came = new Set(put.map(({ stored }) => identityKey(stored)));
  return [
    ...resumptionOf(activation, advancing),
    ...approvals.returning
      .filter(({ policy }) => came.has(policy))
      .map((taken) => resumptionRecord(taken, { tenants: null, policy: taken.policy })),
    ...withoutRepetitions([
      ...acceptancesOf(activation, advancing),
      ...approvalsOf(approvals, holds, advancing),
    ]),
  ];
}

/** A rollback that is carried out. */
interface AllowedRollback {
  readonly approvals: Approvals;
  readonly holds: ResolvedHolds;
  readonly tenants: readonly { readonly tenant: string; readonly status: string }[];
  /** Who rolled back. */
  readonly rollback: { readonly by: string; readonly reason: string; readonly time: string };
}

/** What operators did to put an earlier revision into force: the rollback, and approvals of what it held. */
export function actionsOfRollback(allowed: AllowedRollback): readonly JsonObject[] {
  const { approvals, holds, rollback } = allowed;
  const { by, reason, time } = rollback;
  const everything = { digest: null, tenants: null, policy: null };
  return [
    { action: 'RollBackSource', by, reason, time, ...everything },
    ...approvalsOf(approvals, holds, advancingOf(allowed.tenants)),
  ];
}

/**
 * What of a revision's actions let a version of a policy into force; null: a release before this one stored the revision,
 * and kept none.
 */
export function allowingActionsOf(
  details: JsonObject,
  version: Pick<StoredDocument, 'role' | 'tenant' | 'namespace' | 'name' | 'file'>,
): readonly AllowingAction[] | null {
  const recorded = details['allowedBy'];
  if (!Array.isArray(recorded)) return null;
  const name = identityKey(version);
  return recorded
    .map((action: Json) => (isJsonObject(action) ? (action as unknown as RecordedAction) : null))
    .filter((action) => action !== null)
    .filter(({ tenants }) => tenants === null || tenants.includes(version.tenant))
    .filter(({ policy }) => policy === null || policy === name)
    .map(({ action, by, reason, time, digest }) => ({ action, by, reason, time, digest }));
}

function advancingOf(tenants: AllowedRollback['tenants']): ReadonlySet<string> {
  return new Set(tenants.filter(({ status }) => status === 'Advances').map(({ tenant }) => tenant));
}

/** Of a source: it lets in what had not come since the rollback, tenant by tenant. */
function resumptionOf(
  { approvals: { followed }, state }: AllowedActivation,
  advancing: ReadonlySet<string>,
): readonly JsonObject[] {
  const resumed = followed?.resumedBy ?? null;
  if (followed === null || resumed === null) return [];
  const tenants = [...advancing].filter(
    (tenant) => followed.tenants[tenant] !== undefined || state.tenants[tenant] === undefined,
  );
  return tenants.length === 0 ? [] : [resumptionRecord(resumed, { tenants, policy: null })];
}

function resumptionRecord(
  { by, reason = '', time }: Resumption,
  what: Pick<RecordedAction, 'tenants' | 'policy'>,
): JsonObject {
  return { action: 'ResumeSource', by, reason, time: time ?? null, digest: null, ...what };
}

/** Of what was held, as far as it comes into force. */
function approvalsOf(
  approvals: Approvals,
  { open, proposed }: ResolvedHolds,
  advancing: ReadonlySet<string>,
): readonly JsonObject[] {
  const approved = proposed.map(({ hold }) => hold).filter((hold) => !open.includes(hold));
  return approved.flatMap(({ digest, scope }) => {
    const decision = approvals.approvals.findLast((each) => each.digest === digest);
    return decision === undefined || !isLetIn(scope, advancing) ? [] : [approvalRecord(decision, scope)];
  });
}

/** Of commits whose signature is missing: once accepted they are no cause any more, whatever else is held of them. */
function acceptancesOf(
  { approvals, signatures }: AllowedActivation,
  advancing: ReadonlySet<string>,
): readonly JsonObject[] {
  if (advancing.size === 0) return [];
  const accepted = new Set(signatures.filter(({ isAccepted }) => isAccepted).map(({ commit }) => commit));
  return approvals.acceptances
    .filter(({ commits }) => commits.some((commit) => accepted.has(commit)))
    .map((acceptance) => approvalRecord(acceptance, { kind: 'Source' }));
}

function isLetIn(scope: HoldScope, advancing: ReadonlySet<string>): boolean {
  return scope.kind === 'Tenant' ? advancing.has(scope.tenant) : advancing.size > 0;
}

function approvalRecord({ by, reason, time, digest }: OperatorDecision, scope: HoldScope): JsonObject {
  const tenants = scope.kind === 'Tenant' ? [scope.tenant] : null;
  return { action: 'ApproveHold', by, reason, time, digest, tenants, policy: null };
}

/** An approval may have answered several causes, and is one action. */
function withoutRepetitions(approved: readonly JsonObject[]): readonly JsonObject[] {
  const groups = Map.groupBy(approved, ({ by, time, tenants }) => JSON.stringify([by, time, tenants]));
  return [...groups.values()].flatMap((group) => group.slice(0, 1));
}
