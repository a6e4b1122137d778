import { filterInSteps, type JsonObject, mapInSteps } from '#kernel';
import type { PolicyChangePayload, SyncRunPayload } from '#ledger';
import {
  type HoldScope,
  identityKey,
  isSameJson,
  type RepositoryDocument,
  type ResolvedPolicy,
  type TenantAdmission,
} from '#repository';
import { type Approvals, approvalsRecord } from '../holds/approvals.ts';
import { followedAfter } from '../holds/followed-revision.ts';
import { afterJudgement } from '../holds/resolve-holds.ts';
import type { ActiveDocument } from '../in-force/active-policy-set.ts';
import { linesOf } from '../in-force/document-lines.ts';
import {
  commitReference,
  revisionDetails,
  type RevisionInput,
  runDiagnostics,
} from '../judge/revision-details.ts';
import type {
  EndedDocument,
  RevisionChange,
  SourceState,
  StoredDocument,
} from '../ports/revision-store.port.ts';
import { activationMessage } from './activation-message.ts';
import { actionsOfActivation } from './allowing-actions.ts';
import { operatorOfActivation } from './operator-of.ts';
import { policyChanges, replacedBy } from './policy-changes.ts';
import { releasesOf } from './releases-of.ts';
import { leavingDocument, removalOf, removedDocument } from './removals.ts';

/** A judged commit and what was in force before it. */
export interface ActivationInput extends RevisionInput {
  /** RFC 3339. */
  readonly fetchedAt: string;
  readonly time: string;
  readonly state: SourceState;
  readonly inForce: readonly ActiveDocument[];
  readonly configuration: JsonObject;
  readonly approvals: Approvals;
  /** The versions that were released and may come back, by identity: one that still says the same keeps its commit. */
  readonly releasedVersions: ReadonlyMap<string, StoredDocument>;
  /** Whether commits of the source are verified. */
  readonly isVerified: boolean;
  /** The digest of what a scope comes to. */
  readonly resultOfScope: (scope: HoldScope) => string;
}

/** What a commit came to. */
type Outcome = 'active' | 'partial' | 'held' | 'rejected';

/** What is to be done about it. */
export interface ActivationPlan {
  readonly outcome: Outcome;
  /** Whether anything in force changes, or a tenant advances. */
  readonly isActivating: boolean;
  /** Whether nothing but the time differs from the judgement before. */
  readonly isRepetition: boolean;
  readonly change: RevisionChange;
  /** Everything in force afterwards. */
  readonly documents: readonly ActiveDocument[];
  readonly run: SyncRunPayload;
  readonly changes: readonly PolicyChangePayload[];
}

/** Works out what an admission puts in force, ends and records. Pure; one document per step. */
export function* planActivation(input: ActivationInput): Generator<void, ActivationPlan, void> {
  const { admission, state, time } = input;
  const { returning } = input.approvals;
  const { before, documents, after, ended, put } = yield* compareDocuments(input);
  const releasedByName = new Set(input.approvals.released.map(({ policy }) => policy));
  const advancing = admission.tenants.filter(({ status }) => status === 'Advances');
  const left = yield* mapInSteps(ended, (active) =>
    removedDocument(active, removalOf(active, 'Pruned', admission.released)),
  );
  const byCommit = ended.filter(({ source }) => !releasedByName.has(identityKey(source)));
  const outcome = outcomeOf(input, put.length + byCommit.length);
  const commit = commitReference(input.commit);
  const counts = { outcome, advancing: advancing.length, put: put.length };
  const message = activationMessage(input, { ...counts, ended: ended.map(({ source }) => source) });
  const next: SourceState = {
    ...state,
    configuration: outcome === 'active' ? input.configuration : state.configuration,
    // A tenant that has nothing new advances with any commit: where it is alone, nothing of the commit came into force.
    commit: isInForce(outcome) ? commit : state.commit,
    tenants: {
      ...state.tenants,
      ...Object.fromEntries(advancing.map(({ tenant }) => [tenant, commit.hash])),
    },
    judged: { commit: commit.hash, outcome },
    brakes: approvalsRecord({
      ...nextApprovals(input, outcome),
      returning: outcome === 'active' ? [] : returning.filter(({ policy }) => !after.has(policy)),
    }),
  };
  return {
    isActivating: put.length + ended.length > 0 || (advancing.length > 0 && !isSame(state, next)),
    isRepetition: isSameJudgement(state, next) && put.length === 0 && ended.length === 0,
    outcome,
    documents,
    run: { source: state.source, outcome, message, commit, diagnostics: runDiagnostics(admission) },
    changes: yield* policyChanges({
      ...{ source: state.source, commit },
      put: put.map(({ stored }) => stored),
      ended: [...(yield* replacedBy(put, before)), ...left],
      operatorOf: operatorOfActivation(input.approvals),
    }),
    change: {
      state: next,
      revision: {
        source: state.source,
        commit,
        outcome,
        message,
        fetchedAt: input.fetchedAt,
        finishedAt: time,
        details: detailsOf(input, put, left),
      },
      put: put.map(({ stored }) => stored),
      end: left.map(leavingDocument),
      time,
    },
  };
}

/** What a revision keeps of it, with the operators without whom it would have come to something else. */
function detailsOf(
  input: ActivationInput,
  put: readonly ActiveDocument[],
  left: readonly EndedDocument[],
): JsonObject {
  return {
    ...revisionDetails(input),
    allowedBy: actionsOfActivation(input, put),
    releasedBy: releasesOf(input.approvals, left),
  };
}

/** What is in force, and what comes in force or leaves. */
interface ComparedDocuments {
  /** By identity. */
  readonly before: ReadonlyMap<string, ActiveDocument>;
  /** Everything in force afterwards. */
  readonly documents: readonly ActiveDocument[];
  /** Their identities. */
  readonly after: ReadonlySet<string>;
  readonly ended: readonly ActiveDocument[];
  readonly put: readonly ActiveDocument[];
}

function* compareDocuments(input: ActivationInput): Generator<void, ComparedDocuments, void> {
  const before = new Map(
    yield* mapInSteps(input.inForce, (active) => [identityKey(active.source), active] as const),
  );
  const documents: ActiveDocument[] = [];
  for (const tenant of input.admission.tenants)
    documents.push(...(yield* heldDocuments(input, tenant, before)));
  const after = new Set(yield* mapInSteps(documents, ({ source }) => identityKey(source)));
  const ended = yield* filterInSteps(input.inForce, ({ source }) => !after.has(identityKey(source)));
  const put = yield* filterInSteps(
    documents,
    (active) => before.get(identityKey(active.source))?.stored !== active.stored,
  );
  return { before, documents, after, ended, put };
}

function isSameJudgement({ judged }: SourceState, next: SourceState): boolean {
  return judged?.commit === next.judged?.commit && judged?.outcome === next.judged?.outcome;
}

function isSame(one: SourceState, other: SourceState): boolean {
  return one.commit?.hash === other.commit?.hash && one.judged?.outcome === other.judged?.outcome;
}

function* heldDocuments(
  input: ActivationInput,
  tenant: TenantAdmission,
  before: ReadonlyMap<string, ActiveDocument>,
): Generator<void, readonly ActiveDocument[], void> {
  const resolved = new Map(yield* mapInSteps(tenant.policies, (policy) => [policy.source, policy] as const));
  return yield* mapInSteps(tenant.documents, (source) => {
    const key = identityKey(source);
    const known = before.get(key);
    const policy = resolved.get(source);
    if (known !== undefined && isSameObject(known, source, policy)) return known;
    const stored = storedDocument(input, source, policy);
    const isKept = known !== undefined && isUnchanged(known.stored, stored);
    const released = known === undefined ? input.releasedVersions.get(key) : undefined;
    const { commit } = released !== undefined && isUnchanged(released, stored) ? released : stored;
    const kept = isKept ? known.stored : { ...stored, commit, lines: linesOf(source) };
    if (policy === undefined) return { source: light(source), stored: kept };
    return { source: light(source), stored: kept, policy: policy.policy, document: policy.document };
  });
}

/** What the caches gave back as it was needs no comparison by value. */
function isSameObject(
  known: ActiveDocument,
  source: RepositoryDocument,
  resolved: ResolvedPolicy | undefined,
): boolean {
  return (
    known.source.value === source.value &&
    known.document === resolved?.document &&
    known.policy === resolved?.policy &&
    known.source.file === source.file &&
    known.source.position.line === source.position.line &&
    known.source.tenant === source.tenant &&
    known.source.isListed === source.isListed
  );
}

/** What is kept in memory needs its place only. */
function light(source: RepositoryDocument): RepositoryDocument {
  return { ...source, locate: () => source.position };
}

function storedDocument(
  input: ActivationInput,
  source: RepositoryDocument,
  resolved: ResolvedPolicy | undefined,
): StoredDocument {
  const { role, tenant, kind, namespace, name, file, position, blob, isListed, value } = source;
  return {
    role,
    tenant,
    kind,
    namespace,
    name,
    file,
    line: position.line,
    column: position.column,
    blob,
    isListed,
    value,
    document: resolved?.document ?? null,
    commit: commitReference(input.commit),
    validFrom: input.time,
  };
}

/** A document that says the same at the same place keeps the commit that allowed it. */
function isUnchanged(known: StoredDocument, next: StoredDocument): boolean {
  return (
    known.file === next.file &&
    known.line === next.line &&
    known.tenant === next.tenant &&
    known.kind === next.kind &&
    known.isListed === next.isListed &&
    isSameJson(known.value, next.value) &&
    isSameJson(known.document, next.document)
  );
}

/** Held until a person says yes; rejected where errors keep everything back; partial where only some tenants advanced. */
function outcomeOf({ admission, holds, state, commit }: ActivationInput, changed: number): Outcome {
  if (admission.tenants.every(({ status }) => status === 'Advances')) return 'active';
  const wasPartial = state.judged?.commit === commit.hash && state.judged.outcome === 'partial';
  if (changed > 0 || wasPartial) return 'partial';
  // No approval, and no end of a rollback, brings what is wrong everywhere.
  if (admission.tenants.every(({ status }) => status === 'Rejected')) return 'rejected';
  return holds.open.length > 0 ? 'held' : 'rejected';
}

function isInForce(outcome: Outcome): boolean {
  return outcome === 'active' || outcome === 'partial';
}

/** The holds of this commit replace those before; what was activated counts as verified. */
function nextApprovals(
  { approvals, holds, commit, admission, isVerified, resultOfScope }: ActivationInput,
  outcome: Outcome,
): Approvals {
  const activated = isInForce(outcome) ? commit.hash : null;
  // A commit that came into force unverified is no commit to start from.
  const verified = isVerified ? (activated ?? approvals.verified) : null;
  const followed = followedAfter(approvals, activated, admission.tenants);
  return { ...approvals, ...afterJudgement(approvals, holds, resultOfScope), followed, verified };
}
