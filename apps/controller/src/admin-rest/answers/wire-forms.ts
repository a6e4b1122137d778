import type {
  ActionPreview,
  AuditEntry,
  BegunIntervention,
  Blame,
  Caller,
  CreatedToken,
  Decision,
  DecisionDetails,
  DecisionsAround,
  DecisionSummary,
  DryDecision,
  Hold,
  PastIntervention,
  Policy,
  PolicyDetails,
  PolicyVersion,
  Report,
  Revision,
  ScalingEvent,
  Source,
  SyncResult,
  Token,
} from '#contracts';
import {
  type Hold as HoldRecord,
  type PolicyVersion as VersionRecord,
  type PullRequest,
  type RevisionRecord,
  type SyncOutcome,
  toldErrors,
} from '#git-sync';
import type { JsonObject } from '#kernel';
import {
  type DecisionSummary as SummaryRecord,
  entryId,
  type EntryOf,
  type LedgerEntry,
  policyOfEntry,
  policyStream,
  type StandingIntervention,
} from '#ledger';
import { sentenceOf } from '#policy';
import { toldEffects } from '../../admin/effects/policy-effects.ts';
import type { Blame as BlameRecord } from '../../admin/history/blame.ts';
import type { InterventionEnding } from '../../admin/history/intervention-ends.ts';
import type { PastIntervention as PastRecord } from '../../admin/history/past-interventions.ts';
import type {
  DecisionsAround as AroundRecord,
  DryDecision as DryRecord,
} from '../../admin/history/policy-history.ts';
import type { PolicyView } from '../../admin/policies/policy-queries.ts';
import type { ActionEffect, Answer } from '../../admin/requests/action-effect.ts';
import { notVisibleHoldCount, type VisibleSource } from '../../admin/sources/source-access.ts';
import type {
  CreatedToken as CreatedTokenRecord,
  TokenView,
} from '../../admin/tokens/token-administration.ts';
import { ownerOf, type Principal } from '../../auth/callers/principal.ts';
import { toActionEffect, toIntervention } from '../../refusals/effect-forms.ts';
import type { ReportView } from '../../reports/reports.ts';

/** A policy in force, without its document. */
export function toPolicy({ active, report, standing }: PolicyView): Policy {
  const { policy, origin } = active;
  const { namespace, name, kind, target, actuation, enabled, dryRun } = policy;
  const { minReplicas, maxReplicas, selectionStrategy, intervalSeconds } = policy;
  const bounds = { minReplicas, maxReplicas, selectionStrategy, intervalSeconds };
  return {
    id: policyStream(policy),
    ...{ namespace, name, kind, target, actuation, enabled, dryRun, ...bounds, origin },
    inForce: standing.inForce,
    windows: [...standing.windows],
    states: [...standing.states],
    status: report === undefined ? null : toStatus(report),
  };
}

/** A policy in force. */
export function toPolicyDetails(view: PolicyView): PolicyDetails {
  const holds = view.standing.holds.map(({ source, hold }) => toHold(source, hold));
  const { rejectedCommit } = view.standing;
  const notVisibleHolds = [...view.standing.notVisibleHolds];
  const interventions = view.standing.interventions.map(toIntervention);
  const { document } = view.active;
  return { ...toPolicy(view), document, holds, notVisibleHolds, interventions, rejectedCommit };
}

function toStatus({
  outcome,
  time,
  evaluatedBy,
  shard,
  scale,
  conditions,
  decided,
}: NonNullable<PolicyView['report']>): Policy['status'] {
  return {
    outcome: outcome.kind,
    reason: outcome.reason,
    message: outcome.message,
    time,
    evaluatedBy,
    shard,
    replicas: scale?.specReplicas ?? null,
    statusReplicas: scale?.statusReplicas ?? null,
    decision: decided?.recordedAs ?? null,
    conditions,
  };
}

/** A decision without its input. */
export function toDecision(entry: EntryOf<'Decision'>): Decision {
  const { decision, commit, departures = [], engineVersion } = entry.payload;
  return { ...decision, id: entryId(entry), time: entry.time, commit, departures, engineVersion };
}

/** A decision without how it came about. */
export function toDecisionSummary(record: SummaryRecord): DecisionSummary {
  const { time, policy, currentReplicas, desiredReplicas, action, reason } = record;
  return { id: entryId(record), time, policy, currentReplicas, desiredReplicas, action, reason };
}

/** A decision with its input. */
export function toDecisionDetails(entry: EntryOf<'Decision'>): DecisionDetails {
  return { ...toDecision(entry), input: { ...entry.payload.input } };
}

/** The decisions on both sides of a moment, without their inputs. */
export function toDecisionsAround({ before, after, run }: AroundRecord): DecisionsAround {
  return {
    before: before.map(toDecision),
    after: after.map(toDecision),
    run: run === null ? null : runOf(run),
  };
}

function runOf(entry: EntryOf<'DecisionRun'>): NonNullable<DecisionsAround['run']> {
  const { first, last, count } = entry.payload;
  return { id: entryId(entry), first, last, count };
}

/** What would be decided, and what was. */
export function toDryDecision({ recorded, decision }: DryRecord): DryDecision {
  const { action, desiredReplicas, reason, metrics, steps } = toDecision({
    ...recorded,
    payload: { ...recorded.payload, decision },
  });
  return { recorded: toDecision(recorded), action, desiredReplicas, reason, metrics, steps };
}

/** A change of replicas. */
export function toScalingEvent(entry: EntryOf<'ScalingEvent'>): ScalingEvent {
  const { policy, origin, autoscaler, manager, from, to, reason, decision, commit } = entry.payload;
  return {
    id: entryId(entry),
    time: entry.time,
    ...{ policy, origin, manager, from, to, reason, commit },
    autoscaler: autoscaler ?? null,
    decisionId: decision,
  };
}

/** A source as it stands. */
export function toSource(view: VisibleSource): Source {
  const { name, url, ref, commit, holds, pin, released, lastSync, staleSince, viewerRoles } = view;
  return {
    ...{ name, url, ref, commit, staleSince, viewerRoles: [...viewerRoles] },
    pin: pin === null ? null : { commit: pin.commit, ...byOf(pin) },
    released: released.map((release) => ({ policy: release.policy, ...byOf(release) })),
    holds: holds.map((hold) => toHold(name, hold)),
    notVisibleHoldCount: notVisibleHoldCount(view),
    lastSyncTime: lastSync?.time ?? null,
    lastSync: lastSync === null ? null : toSyncResult(lastSync.outcome),
  };
}

/** Without the address of the person. */
function byOf({ by, reason, time }: Omit<Source['released'][number], 'policy'>) {
  return { by, reason, time };
}

/** What a look at a source came to. */
export function toSyncResult(outcome: SyncOutcome): SyncResult {
  const { source, result, message, commit, holds } = outcome;
  const errors = toldErrors(outcome).map(
    (each) => `${each.file}:${each.line}:${each.column}: ${each.code}: ${sentenceOf(each)}`,
  );
  return { source, result, message, errors, commit, holds: holds.map((hold) => toHold(source, hold)) };
}

/** What waits for a person. */
export function toHold(source: string, hold: HoldRecord): Hold {
  const { digest, scope, commit, since, isRejected, rejection = null, causes, effect } = hold;
  const tenant = scope.kind === 'Tenant' ? scope.tenant : null;
  const counted = effect === undefined ? null : countedEffect(effect);
  return { source, digest, tenant, commit, since, isRejected, rejection, causes, effect: counted };
}

function countedEffect({
  added,
  changed,
  removed,
  policies,
}: NonNullable<HoldRecord['effect']>): Hold['effect'] {
  return { added, changed, removed, policies };
}

/** A commit's way through a source. */
export function toRevision(record: RevisionRecord): Revision {
  const { source, commit, outcome, message, fetchedAt, finishedAt, details } = record;
  return { source, commit, outcome, message, fetchedAt, finishedAt, details };
}

/** One that has just begun, as its effect says. */
export function toBegunIntervention(
  begun: StandingIntervention,
  { total, policies, problems, standing }: ActionEffect,
): BegunIntervention {
  const met = {
    policies: total,
    effects: toldEffects(policies),
    against: [...problems],
    standing: standing.map(toIntervention),
  };
  return { ...toIntervention(begun), begun: met };
}

/** An entry of the ledger; a decision's input is the decision's to show. */
export function toAuditEntry(entry: LedgerEntry, end: InterventionEnding | null = null): AuditEntry {
  const { kind, time, cluster, previousHash, hash } = entry;
  const { input, ...payload } = entry.payload as JsonObject;
  const shown = kind === 'Decision' || input === undefined ? payload : { ...payload, input };
  return {
    id: entryId(entry),
    ...{ kind, time, cluster, previousHash, hash },
    policy: policyOfEntry(entry),
    payload: shown,
    end: end === null ? null : { ...end },
  };
}

/** A version of a policy, and what operators did to let it into force; null: not known, or not the caller's to see. */
export interface AllowedVersion {
  readonly version: VersionRecord;
  readonly allowedBy: BlameRecord['allowedBy'];
  /** The same of its end. */
  readonly removalAllowedBy: BlameRecord['removalAllowedBy'];
}

/** A policy as it was in force for a time, and who let it in. */
export function toPolicyVersion({ version, allowedBy, removalAllowedBy }: AllowedVersion): PolicyVersion {
  const { source, commit, file, line, document, value } = version;
  const { validFrom, validTo, departure, removedBy, removedByOperator } = version;
  return {
    origin: { source, commit, file, line },
    validFrom,
    validTo,
    departure,
    removedBy,
    removedByOperator,
    removalAllowedBy: removalAllowedBy === null ? null : [...removalAllowedBy],
    allowedBy: allowedBy === null ? null : [...allowedBy],
    document: document ?? value,
  };
}

/** What stands behind a decision. */
export function toBlame(
  { decision, version, change, revision, allowedBy, removalAllowedBy, notVisible, ...rest }: BlameRecord,
  { pullRequest, interventions }: BesideBlame,
): Blame {
  return {
    decision: toDecision(decision),
    version: version === null ? null : toPolicyVersion({ version, allowedBy, removalAllowedBy }),
    change: change === null ? null : toAuditEntry(change),
    revision: revision === null ? null : toRevision(revision),
    allowedBy: allowedBy === null ? null : [...allowedBy],
    interventions: interventions === null ? null : interventions.map(toPastIntervention),
    notVisible: [...notVisible],
    sync: rest.sync === null ? null : toAuditEntry(rest.sync),
    pullRequest: pullRequest === null ? null : { ...pullRequest, approvers: [...pullRequest.approvers] },
    review: rest.review === null ? null : toAuditEntry(rest.review),
    intents: rest.intents.map((entry) => toAuditEntry(entry)),
    outcomes: rest.outcomes.map((entry) => toAuditEntry(entry)),
  };
}

/** What is found beside the parts of a blame that its record has. */
interface BesideBlame {
  readonly pullRequest: PullRequest | null;
  /** Those that stood as it was decided; null: there was more than is looked through. */
  readonly interventions: readonly PastRecord[] | null;
}

function toPastIntervention({ standing, isForced, end }: PastRecord): PastIntervention {
  return { intervention: toIntervention(standing), isForced, end: end === null ? null : { ...end } };
}

/** A token, without the token. */
export function toToken(view: TokenView): Token {
  const { id, name, owner, grants, createdAt, expiresAt, revokedAt, lastUsedAt } = view;
  return { id, name, owner, grants: grantsOf(grants), createdAt, expiresAt, revokedAt, lastUsedAt };
}

function grantsOf(grants: Token['grants']): Token['grants'] {
  return grants.map(({ role, namespaces }) => ({ role, namespaces }));
}

/** Who calls. */
export function toCaller(principal: Principal): Caller {
  const { name, grants, email = null, forgeLogin = null, token = null } = principal;
  return { name, owner: ownerOf(principal), email, forgeLogin, grants: grantsOf(grants), token };
}

/** A report, without its text. */
export function toReport(view: ReportView): Report {
  const { filter, ...report } = view;
  const namesOf = (names: readonly string[] | null): string[] | null => (names === null ? null : [...names]);
  return {
    ...report,
    filter: {
      ...filter,
      namespaces: namesOf(filter.namespaces),
      policies: namesOf(filter.policies),
      teams: namesOf(filter.teams),
      visibleNamespaces: namesOf(filter.visibleNamespaces),
    },
  };
}

/** A token that was made. */
export function toCreatedToken({ token, view }: CreatedTokenRecord): CreatedToken {
  return { ...toToken(view), token };
}

/** The answer of an action: its result, or what it would do. */
export function answerOf<T, W>(
  { result, effect }: Answer<T>,
  form: (result: T, effect: ActionEffect) => W,
): W | ActionPreview {
  return result === null ? { effect: toActionEffect(effect) } : form(result, effect);
}
