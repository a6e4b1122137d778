import type {
  Blame,
  Hold,
  Intervention,
  PastIntervention,
  PolicyDetails,
  PolicyVersion,
  PullRequest,
  ScalingEvent,
} from '#contracts';
import type { Decision as ExplainedDecision, RuleId } from '#decision';
import { shortHash } from '#kernel';
import { explainDecision, type Paint } from '../decision/explain-decision.ts';
import { onOneLine } from '../server/one-line.ts';
import { causesText } from './causes-text.ts';
import { whatText } from './intervention-text.ts';
import { pullRequestText } from './pull-request-text.ts';
import { originText } from './scaling-origin.ts';
import { removalText } from './versions-form.ts';

interface Commit {
  readonly hash: string;
  readonly author: string;
  readonly subject: string;
}

/** What the answer to why is put together from. */
interface Why extends Pick<
  Blame,
  'decision' | 'pullRequest' | 'version' | 'allowedBy' | 'interventions' | 'notVisible'
> {
  readonly present?: Present | null;
  /** The latest change of the count until the moment that is asked about; null: none is known. */
  readonly changed?: Pick<ScalingEvent, 'time' | 'from' | 'to' | 'origin' | 'manager' | 'reason'> | null;
}

/** The policy as it is now; null: it is not asked for, or in force no more. */
type Present = Pick<PolicyDetails, 'states' | 'status'> &
  Partial<Pick<PolicyDetails, 'holds' | 'notVisibleHolds' | 'interventions' | 'rejectedCommit'>>;

/** A decision's waterfall, and the commit behind it. */
export function showWhy(
  {
    decision,
    pullRequest,
    version,
    allowedBy,
    notVisible,
    present = null,
    changed = null,
    interventions,
  }: Why,
  paint: Paint,
): string {
  const { departures, commit } = decision;
  // The wire has the shapes of the decision contract.
  const explained = { decision: decision as unknown as ExplainedDecision, departures };
  const end = version === null || version.validTo === null ? '' : `in force  ${endText(version)}\n`;
  return [
    `${explainDecision(explained, paint)}\n\n`,
    changedLine(changed),
    commitLine(commit),
    pullRequestLine(pullRequest),
    ...allowedLines(allowedBy),
    ...notVisibleLines(notVisible, ['AllowedBy']),
    end,
    nowLines(present, decision),
    interventions === null ? notKnown : '',
    ...interventionsOf(interventions, present).flatMap(pastLines),
    waitingLines(present),
  ].join('');
}

/** A decision that keeps the count says nothing of when the count came to be what it is. */
function changedLine(changed: Why['changed']): string {
  if (changed === null || changed === undefined) return '';
  const { time, from, to, reason } = changed;
  return `changed   ${from} → ${to} at ${time} by ${originText(changed)}: ${onOneLine(reason)}\n`;
}

/** A decision that is repeated is recorded once: what has come to be since is said beside it. */
function nowLines(present: Present | null, decision: Blame['decision']): string {
  if (present === null) return '';
  const { status } = present;
  const conditions = status?.conditions ?? [];
  return [
    nowLine(present),
    obstacleLine(status),
    ...conditionLines(targetConditions(conditions)),
    ...conditionLines(changedConditions(conditions, decision)),
  ].join('');
}

/** What a pass had decided stands before what is in its way, and is printed above; it is other news with every pass. */
const beforeObstacle = /^.*\b(?=(?:not written|could not scale)\b)/s;

/** Why the latest pass is not done: it names the other autoscaler, say, or what the API server refused. */
function obstacleLine(status: Present['status']): string {
  if (status === null || status.outcome === 'Done' || status.message === '') return '';
  return `now       ${onOneLine(status.message.replace(beforeObstacle, ''))}\n`;
}

function nowLine({ states, status }: Pick<Present, 'states' | 'status'>): string {
  const standing = states.join(', ');
  // Without its time, which would be news to who watches with every pass.
  const pass =
    status === null ? '' : `${recordedWords[status.evaluatedBy] ?? 'latest pass'}: ${status.reason}`;
  const both = standing === '' || pass === '' ? `${standing}${pass}` : `${standing} (${pass})`;
  return both === '' ? '' : `now       ${both}\n`;
}

/**
 * What is recorded of a policy that another replica evaluates may be older than its latest pass. A controller of before does
 * not say who evaluates it.
 */
const recordedWords: Readonly<Partial<Record<NonNullable<Present['status']>['evaluatedBy'], string>>> = {
  AnotherReplica: 'recorded last by another replica',
  NobodyYet: 'recorded last, no pass here yet',
};

/** What Git has of the policy, and is not in force. */
function waitingLines(present: Present | null): string {
  if (present === null) return '';
  const { holds = [], notVisibleHolds = [], rejectedCommit = null } = present;
  return [
    rejectedLine(rejectedCommit),
    ...holds.map(holdLine),
    ...notVisibleHolds.map(notVisibleHoldLine),
  ].join('');
}

type Conditions = NonNullable<Present['status']>['conditions'];

/** What the decision found and is otherwise now, as where the native controller of an HPA has not looked at it. */
function changedConditions(conditions: Conditions, decision: Blame['decision']): Conditions {
  const decided = new Map(decision.conditions.map(({ type, status }) => [type, status]));
  return conditions.filter(({ type, status }) => decided.has(type) && decided.get(type) !== status);
}

/** Why the pods that were decided on do not come; what else degrades a policy is what its latest pass is not done for. */
function targetConditions(conditions: Conditions): Conditions {
  const of = (wanted: string, cause: string): Conditions =>
    conditions.filter(({ type, status, reason }) => type === wanted && status === 'True' && reason === cause);
  const overdue = of('Degraded', 'ProgressDeadlineExceeded');
  return overdue.length > 0 ? overdue : of('Progressing', 'ReplicaFailure');
}

function conditionLines(conditions: Conditions): readonly string[] {
  return conditions.map(({ type, status, reason, message }) => {
    const said = message === null || message === '' ? '' : `: ${onOneLine(message)}`;
    return `now       ${type} is ${status}, ${reason}${said}\n`;
  });
}

/** What operators had put in place as it was decided, and what has come to stand since, which its blame does not know. */
function interventionsOf(
  then: Blame['interventions'],
  present: Pick<Present, 'interventions'> | null,
): readonly PastIntervention[] {
  const known = new Set(then?.map(({ intervention }) => intervention.id));
  const since = (present?.interventions ?? []).filter(({ id }) => !known.has(id));
  return [
    ...(then ?? []),
    ...since.map((each) => ({ intervention: each, isForced: each.against.length > 0, end: null })),
  ];
}

const notKnown = 'stood     not known: more was done to the policy and around it than is looked through\n';

function pastLines(past: PastIntervention): readonly string[] {
  const { kind, actor, expires, reason } = past.intervention;
  const word = past.end === null ? 'standing' : 'stood   ';
  return [
    `${word}  ${kind} (${whatText(past.intervention)}) by ${actor} until ${expires}: ${onOneLine(reason)}\n`,
    ...becameLines(past),
  ];
}

/** Which rules one that was forced went against, and how it ended, where that was not by its expiry. */
function becameLines({
  intervention: { against, expires },
  isForced,
  end,
}: PastIntervention): readonly string[] {
  const rules = isForced && against.length === 0 ? ['what was not kept'] : against;
  return [
    ...rules.map((problem) => `forced    against ${onOneLine(problem)}\n`),
    ...(end === null || end.time === expires ? [] : [endLine(end)]),
  ];
}

function endLine({ time, actor, reason }: NonNullable<PastIntervention['end']>): string {
  return `ended     by ${actor} at ${time}${reason === null ? '' : `: ${onOneLine(reason)}`}\n`;
}

/** The commit that the ref has, where errors of the policy's tenant keep it out of force. */
function rejectedLine(rejected: PolicyDetails['rejectedCommit']): string {
  if (rejected === null) return '';
  const { commit, tenant, message, notVisible } = rejected;
  const whose = tenant === '' ? '' : `tenant ${tenant}: `;
  return `rejected  ${shortHash(commit)} is not in force: ${whose}${onOneLine(message ?? `it has errors (not visible to you: ${notVisible ?? ''})`)}\n`;
}

/** What Git has of the policy and is not in force, and who has said no to it. */
function holdLine({ commit, causes, isRejected, rejection }: Hold): string {
  const why = onOneLine(causesText(causes));
  const no =
    rejection === null ? '' : ` by ${rejection.by} at ${rejection.time}: ${onOneLine(rejection.reason)}`;
  return `${isRejected ? 'rejected' : 'held    '}  ${shortHash(commit)}${no} (${why})\n`;
}

/** The same of a hold that the caller may not see whole. */
function notVisibleHoldLine(hold: PolicyDetails['notVisibleHolds'][number]): string {
  const { commit, since, isRejected, change, message } = hold;
  const what = change === null ? 'may change it' : onOneLine(change);
  return `${isRejected ? 'rejected' : 'held    '}  ${shortHash(commit)} since ${since}: ${what} (why, and what else: not visible to you: ${message})\n`;
}

/**
 * What stands behind a decision, from interventions and the commit to the writes.
 *
 * @param present the policy as it is now: what has come to stand since is said, too; null: it is not asked for
 */
export function showBlame(blame: Blame, present: Pick<PolicyDetails, 'interventions'> | null = null): string {
  const { decision, version, revision, sync, pullRequest, review } = blame;
  const { policy, currentReplicas, desiredReplicas, action, reason } = decision;
  return [
    `${policy.namespace}/${policy.name}  ${decision.time}  ${currentReplicas ?? '?'} → ${desiredReplicas ?? '?'}  ${action}: ${reason}\n`,
    ...interventionLines(blame, present).map((line) => `  ${line}`),
    placeLine(version),
    `  ${commitLine(decision.commit)}`,
    pullRequest === null ? '' : `  ${pullRequestLine(pullRequest)}`,
    review === null ? '' : `  review    ${review.id} at ${review.time}\n`,
    revision === null
      ? ''
      : `  revision  ${revision.outcome} at ${revision.finishedAt}: ${revision.message}\n${signatureLine(revision)}`,
    ...allowedLines(blame.allowedBy).map((line) => `  ${line}`),
    sync === null ? '' : `  sync      ${sync.id} at ${sync.time}\n`,
    ...notVisibleLines(blame.notVisible).map((line) => `  ${line}`),
    ...blame.intents.map(({ kind, time, id }) => `  announced ${kind} at ${time}, ${id}\n`),
    ...blame.outcomes.map(({ kind, time, id }) => `  written   ${kind} at ${time}, ${id}\n`),
  ].join('');
}

/** What the check of the newest commit's signature found; empty: its source checks none. */
function signatureLine({ details }: NonNullable<Blame['revision']>): string {
  const { signatures } = details as { readonly signatures?: readonly Readonly<Record<string, unknown>>[] };
  const newest = signatures?.[0];
  if (newest === undefined) return '';
  const { status, signer, reason } = newest;
  const who = typeof signer === 'string' ? ` by ${signer}` : '';
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  return `  signature ${onOneLine(`${String(status)}${who}${why}`)}\n`;
}

function placeLine(version: PolicyVersion | null): string {
  if (version === null) return '';
  const { origin, validFrom, validTo } = version;
  const end = validTo === null ? '' : `, ${endText(version)}`;
  return `  policy    ${origin.file}:${origin.line}, in force since ${validFrom}${end}\n`;
}

/** The rules that name the interventions that they follow: with who began each, why and until when. */
const interventionRules: ReadonlySet<string> = new Set<RuleId>(['override', 'suspend', 'dry-run']);

function interventionLines(
  { decision: { steps }, interventions }: Pick<Blame, 'decision' | 'interventions'>,
  present: Pick<PolicyDetails, 'interventions'> | null,
): readonly string[] {
  const all = interventionsOf(interventions, present);
  const named = steps.filter(({ rule }) => interventionRules.has(rule));
  // One has a step for its bounds and another for its count.
  const firstStepOf = ({ intervention }: PastIntervention): number =>
    named.findIndex(({ because }) => isNamedBy(because, intervention));
  return [
    ...named.flatMap(({ rule, because }, index) => [
      `${rule.padEnd(9)} ${onOneLine(because)}\n`,
      ...all.filter((each) => firstStepOf(each) === index).flatMap(becameLines),
    ]),
    ...(interventions === null ? [notKnown] : []),
    ...all.filter((each) => firstStepOf(each) === -1).flatMap(pastLines),
  ];
}

/** Of what stopped nothing, or began after the decision, no step says anything. */
function isNamedBy(because: string, { kind, actor, expires }: Intervention): boolean {
  return because.startsWith(`${kind} by ${actor} until ${expires} `);
}

const actionNames: Readonly<Record<NonNullable<Blame['allowedBy']>[number]['action'], string>> = {
  ApproveHold: 'approved',
  RollBackSource: 'rollback',
  ResumeSource: 'resumed',
};

/** What operators did to let the version into force. */
function allowedLines(allowedBy: Blame['allowedBy']): readonly string[] {
  return (allowedBy ?? []).map(({ action, by, reason, time }) => {
    const when = time === null ? '' : ` at ${time}`;
    const why = reason === '' ? '' : `: ${onOneLine(reason)}`;
    return `${actionNames[action].padEnd(9)} by ${by}${when}${why}\n`;
  });
}

const partNames: Readonly<Record<BlamePart, string>> = {
  Revision: 'revision',
  AllowedBy: 'allowed',
  Sync: 'sync',
  Review: 'review',
};

/** What is left out since the caller may not see it, and which role would show it. */
function notVisibleLines(
  notVisible: Blame['notVisible'],
  parts: readonly BlamePart[] = Object.keys(partNames) as BlamePart[],
): readonly string[] {
  return notVisible
    .filter(({ part }) => parts.includes(part))
    .map(({ part, message }) => `${partNames[part].padEnd(9)} not visible to you: ${message}\n`);
}

type BlamePart = Blame['notVisible'][number]['part'];

/** Of a version that is in force no more. */
function endText(version: PolicyVersion): string {
  const removal = removalText(version);
  const by = removal === null ? '' : ` by ${onOneLine(removal)}`;
  return `until ${version.validTo} (${version.departure ?? 'a newer version followed'}${by})`;
}

function commitLine(commit: Commit | null): string {
  if (commit === null) return 'commit    not known\n';
  return `commit    ${shortHash(commit.hash)} ${commit.subject} (${commit.author})\n`;
}

function pullRequestLine(pullRequest: PullRequest | null): string {
  return pullRequest === null ? '' : `pull request  ${pullRequestText(pullRequest)}\n`;
}
