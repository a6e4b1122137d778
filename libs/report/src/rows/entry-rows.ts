import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';
import type { ReportException, ReportRow } from './report-row.ts';

/** What of an entry makes its row; where it happened and whose it is are known from elsewhere. */
export type RowContent = Omit<ReportRow, 'time' | 'namespace' | 'policy' | 'team' | 'entry'>;

/** The content of an entry's row; `null`: entries of this kind have none. Payloads are not trusted to have their form. */
export function rowContent(kind: string, payload: JsonObject): RowContent | null {
  return contents.get(kind)?.(payload) ?? null;
}

const contents: ReadonlyMap<string, (payload: JsonObject) => RowContent | null> = new Map([
  ['ScalingEvent', scalingEvent],
  ['PolicyChange', policyChange],
  ['StrategyChange', strategyChange],
  ['OperatorAction', operatorAction],
  ['SyncRun', syncRun],
  ['CommitReview', commitReview],
]);

const empty: Omit<RowContent, 'kind' | 'action'> = {
  actor: null,
  before: null,
  after: null,
  reason: null,
  commit: null,
  exception: null,
  details: null,
};

function scalingEvent({ origin, manager, from, to, reason, commit }: JsonObject): RowContent {
  return {
    ...empty,
    kind: 'ScalingEvent',
    action: Number(to) < Number(from) ? 'ScaleDown' : 'ScaleUp',
    actor: textOf(manager) ?? textOf(origin),
    before: textOf(from),
    after: textOf(to),
    reason: textOf(reason),
    commit: commitHash(commit),
  };
}

/** Departures that no commit brings; entries of earlier releases do not say whose they are. */
const byOperatorsAlone: ReadonlySet<string> = new Set(['RolledBack', 'SourceRemoved']);

/** Who did it: the operator, where one did in place of the commit's author. */
function policyChange({ before, after, departure, source, commit, operator }: JsonObject): RowContent {
  const change = before === null ? 'Added' : 'Changed';
  const action = after === null ? (textOf(departure) ?? 'Pruned') : change;
  const isOfOperator = isJsonObject(operator);
  const author = byOperatorsAlone.has(action)
    ? {}
    : { actor: memberText(commit, 'author'), reason: memberText(commit, 'subject') };
  const by = isOfOperator
    ? { actor: memberText(operator, 'by'), reason: memberText(operator, 'reason') }
    : author;
  const how = isOfOperator ? { operatorAction: operator['action'] ?? null } : {};
  return {
    ...empty,
    kind: 'PolicyChange',
    action,
    ...by,
    commit: commitHash(commit),
    details: detailsOf({ source: source ?? null, ...how }),
  };
}

function strategyChange({ field, before, after, commit }: JsonObject): RowContent {
  return {
    ...empty,
    kind: 'StrategyChange',
    action: textOf(field) ?? '',
    actor: memberText(commit, 'author'),
    before: textOf(before),
    after: textOf(after),
    reason: memberText(commit, 'subject'),
    commit: commitHash(commit),
  };
}

const overrides: ReadonlySet<string | null> = new Set(['SuspendScaling', 'OverrideReplicas', 'StartDryRun']);

function operatorAction(payload: JsonObject): RowContent {
  const { actor, action, outcome, reason } = payload;
  return {
    ...empty,
    kind: 'OperatorAction',
    action: doneAction(payload),
    actor: textOf(actor),
    after: textOf(outcome),
    reason: textOf(reason),
    exception: exceptionOf(textOf(action), textOf(outcome)),
    details: actionDetails(payload),
  };
}

/** The ledger has one name for the return of a source to what Git says, and of one of its policies. */
function doneAction({ action, arguments: given }: JsonObject): string {
  const isOfPolicy = memberText(given, 'policy') !== null;
  return action === 'ResumeSource' && isOfPolicy ? 'ResumePolicy' : (textOf(action) ?? '');
}

/** What an action was given, why one that was refused was asked for, and what one that was forced went against. */
function actionDetails({ arguments: given = null, givenReason, effect }: JsonObject): string | null {
  if (given !== null && !isJsonObject(given)) return detailsOf(given);
  const against = effect !== undefined && isJsonObject(effect) ? effect['against'] : undefined;
  const more = {
    ...(typeof givenReason === 'string' && { givenReason }),
    ...(against !== undefined && { against }),
  };
  return given === null && Object.keys(more).length === 0 ? null : detailsOf({ ...given, ...more });
}

function exceptionOf(action: string | null, outcome: string | null): ReportException | null {
  if (outcome === 'Refused' || outcome === 'Forced') return outcome;
  return overrides.has(action) ? 'Overridden' : null;
}

/** A look at a source is a row where it held or rejected something. */
function syncRun({ outcome, message, source, commit }: JsonObject): RowContent | null {
  if (outcome !== 'held' && outcome !== 'rejected') return null;
  return {
    ...empty,
    kind: 'SyncRun',
    action: outcome,
    actor: memberText(commit, 'author'),
    reason: textOf(message),
    commit: commitHash(commit),
    exception: outcome === 'held' ? 'Held' : 'Rejected',
    details: detailsOf({ source: source ?? null }),
  };
}

/** Who allowed a commit, as the forge says: whose pull request brought it, and who approved that. */
function commitReview({ source, commit, pullRequest }: JsonObject): RowContent | null {
  if (!isJsonObject(pullRequest)) return null;
  const { number, author, approvers } = pullRequest;
  const names = Array.isArray(approvers) ? approvers : [];
  const opened = names.length === 0 ? 'NotApproved' : 'Approved';
  return {
    ...empty,
    kind: 'CommitReview',
    action: typeof number === 'number' ? opened : 'NoPullRequest',
    actor: textOf(author),
    after: typeof number === 'number' ? `#${number}` : null,
    reason: memberText(commit, 'subject'),
    commit: commitHash(commit),
    details: detailsOf({ approvers: names, source: source ?? null }),
  };
}

function commitHash(commit: Json | undefined): string | null {
  return memberText(commit, 'hash');
}

function memberText(value: Json | undefined, member: string): string | null {
  return isJsonObject(value) ? textOf(value[member]) : null;
}

function textOf(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : canonicalJson(value);
}

function detailsOf(value: Json): string | null {
  return value === null ? null : canonicalJson(value);
}
