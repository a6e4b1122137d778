import { mapInSteps, shortHash } from '#kernel';
import type { PolicyChangePayload, SyncRunPayload } from '#ledger';
import { identityKey } from '#repository';
import { actionsOfRollback } from '../activate/allowing-actions.ts';
import { operatorOfAll } from '../activate/operator-of.ts';
import { isPolicy, policyChanges, replacedBy } from '../activate/policy-changes.ts';
import { leavingDocument, removalOf, removedDocument } from '../activate/removals.ts';
import { type Approvals, approvalsRecord, requesterOf } from '../holds/approvals.ts';
import { followedBefore } from '../holds/followed-revision.ts';
import { afterJudgement } from '../holds/resolve-holds.ts';
import { type ActiveDocument, restoreDocument } from '../in-force/active-policy-set.ts';
import { diagnosticRecord, holdRecord } from '../judge/revision-details.ts';
import type {
  RevisionChange,
  RevisionRecord,
  SourceState,
  StoredDocument,
} from '../ports/revision-store.port.ts';
import type { OperatorRequest } from '../source/source.ts';
import type { JudgedRollback } from './judge-rollback.ts';

/** What a rollback is planned with. */
export interface RollbackInput {
  readonly state: SourceState;
  readonly approvals: Approvals;
  /** The revision to go back to. */
  readonly revision: RevisionRecord;
  readonly request: OperatorRequest;
  readonly judged: JudgedRollback;
  readonly inForce: readonly ActiveDocument[];
  /** RFC 3339. */
  readonly time: string;
}

/** What a rollback does. */
export interface RollbackPlan {
  readonly outcome: 'active' | 'partial' | 'held' | 'rejected';
  readonly change: RevisionChange;
  readonly documents: readonly ActiveDocument[];
  readonly run: SyncRunPayload;
  readonly changes: readonly PolicyChangePayload[];
}

/**
 * What was in force with a revision, as it would be in force now: what is in force as it was keeps its version, and what
 * was released stays where it is. One document per step.
 */
export function* documentsToRestore(
  stored: readonly StoredDocument[],
  now: {
    readonly inForce: readonly ActiveDocument[];
    readonly released: ReadonlySet<string>;
    readonly time: string;
  },
): Generator<void, readonly ActiveDocument[], void> {
  const before = new Map(now.inForce.map((active) => [identityKey(active.source), active]));
  const staying = stored.filter(
    (document) => document.role !== 'Policy' || !now.released.has(identityKey(document)),
  );
  return yield* mapInSteps(staying, (document) => {
    const known = before.get(identityKey(document));
    return known !== undefined && isSame(known.stored, document)
      ? known
      : restoreDocument({ ...document, validFrom: now.time });
  });
}

/** Works out what a rollback puts in force, ends and records. Pure; one document per step. It needs no Git. */
export function* planRollback(input: RollbackInput): Generator<void, RollbackPlan, void> {
  const { state, revision, judged, time } = input;
  const before = new Map(input.inForce.map((active) => [identityKey(active.source), active]));
  const documents = judged.tenants.flatMap((tenant) => tenant.documents);
  const after = new Set(documents.map(({ source }) => identityKey(source)));
  const ended = input.inForce.filter(({ source }) => !after.has(identityKey(source)));
  const put = documents.filter((active) => before.get(identityKey(active.source)) !== active);
  const isPartial = put.length + ended.length > 0 || state.commit?.hash === revision.commit.hash;
  const outcome = outcomeOf(judged, isPartial);
  const message = messageOf(input, outcome);
  const left = ended.map((active) => removedDocument(active, removalOf(active, 'RolledBack', new Set())));
  return {
    outcome,
    documents,
    run: {
      source: state.source,
      outcome,
      message,
      commit: revision.commit,
      diagnostics: judged.diagnostics.map(diagnosticRecord),
    },
    changes: yield* policyChanges({
      source: state.source,
      commit: revision.commit,
      put: put.map(({ stored }) => stored),
      ended: [...(yield* replacedBy(put, before)), ...left],
      operatorOf: operatorOfAll('RollBackSource', input.request),
    }),
    change: {
      state: nextState(input, outcome),
      revision: {
        ...revision,
        outcome,
        message,
        fetchedAt: time,
        finishedAt: time,
        details: {
          ...revision.details,
          tenants: judged.tenants.map(({ tenant, status, documents: all }) => ({
            tenant,
            status,
            waitsFor: null,
            policies: all.filter(({ stored }) => isPolicy(stored)).length,
          })),
          diagnostics: judged.diagnostics.map(diagnosticRecord),
          holds: judged.holds.open.map(holdRecord),
          allowedBy: actionsOfRollback({
            approvals: input.approvals,
            holds: judged.holds,
            tenants: judged.tenants,
            rollback: { ...input.request, time: beganAt(input) },
          }),
        },
      },
      put: put.map(({ stored }) => stored),
      end: left.map(leavingDocument),
      time,
    },
  };
}

/** What awaited approval is rolled back a second time. */
function beganAt({ approvals: { pin }, revision, request, time }: RollbackInput): string {
  const isPinned =
    pin?.commit === revision.commit.hash && pin.by === request.by && pin.reason === request.reason;
  return isPinned ? pin.time : time;
}

/** Tenants that are as they were then advance in any case: where nothing else does, nothing was rolled back. */
function outcomeOf({ tenants, holds }: JudgedRollback, isPartial: boolean): RollbackPlan['outcome'] {
  if (tenants.every(({ status }) => status === 'Advances')) return 'active';
  if (isPartial) return 'partial';
  return holds.open.length > 0 ? 'held' : 'rejected';
}

/** A rollback that is refused whole leaves the source to follow its ref; any other pins it. */
function nextState(
  { state, approvals, ...input }: RollbackInput,
  outcome: RollbackPlan['outcome'],
): SourceState {
  const { revision, request, judged, time } = input;
  if (outcome === 'rejected')
    return { ...state, brakes: approvalsRecord({ ...approvals, requestedRollback: null }) };
  const advancing = new Set(
    judged.tenants.filter(({ status }) => status === 'Advances').map(({ tenant }) => tenant),
  );
  const { hash } = revision.commit;
  const verdicts = afterJudgement(approvals, judged.holds, judged.resultOfScope);
  const tenants = Object.entries(state.tenants).map(([tenant, commit]) => [
    tenant,
    outcome === 'active' || advancing.has(tenant) ? hash : commit,
  ]);
  return {
    ...state,
    commit: outcome === 'held' ? state.commit : revision.commit,
    tenants: Object.fromEntries(tenants) as Record<string, string>,
    judged: null,
    brakes: approvalsRecord({
      ...approvals,
      ...verdicts,
      holds: [],
      rollbackHolds: verdicts.holds,
      requestedRollback: null,
      followed: followedBefore(state, approvals),
      pin: { ...requesterOf(request), reason: request.reason, commit: hash, time },
    }),
  };
}

function messageOf({ revision, request, judged }: RollbackInput, outcome: RollbackPlan['outcome']): string {
  const what = `rolled back to ${shortHash(revision.commit.hash)} by ${request.by}: ${request.reason}`;
  if (outcome === 'active') return what;
  const why = [
    ...judged.holds.open.flatMap(({ causes }) => causes.map(({ code, message }) => `${code}: ${message}`)),
    ...judged.diagnostics.map(({ message }) => message),
  ];
  return `${outcome === 'partial' ? what : `not ${what}`}; ${why.join('; ')}`;
}

function isSame(one: StoredDocument, other: StoredDocument): boolean {
  return JSON.stringify({ ...one, validFrom: '' }) === JSON.stringify({ ...other, validFrom: '' });
}
