import type {
  AuditEntry,
  Decision,
  Degradation,
  FlappingPolicies,
  Hold,
  Intervention,
  ListedHold,
  OrphanedHpa,
  Policy,
  Replica,
  ReportSchedule,
  Revision,
  ScalingEvent,
  Token,
} from '#contracts';
import { actorName, nameSome, numberRanges, shortHash } from '#kernel';
import { causesText } from './causes-text.ts';
import { describeEntry, policyOfEntry, textOf } from './describe-entry.ts';
import { grantsText } from './grants.ts';
import { whatText } from './intervention-text.ts';
import type { SourceOfAnyRelease } from './not-visible-holds.ts';
import type { Column } from './print-answer.ts';
import { originText } from './scaling-origin.ts';
import { shortHashOf } from './short-hash.ts';

/** The options that narrow a list on the server. */
export const filters = [
  'namespace',
  'policy',
  'source',
  'state',
  'kind',
  'action',
  'actor',
  'commit',
  'from',
  'until',
] as const;
export type Filter = (typeof filters)[number];

/** How a list looks, and what narrows it. */
export interface ListForm {
  readonly columns: readonly Column<unknown>[];
  readonly filters: readonly Filter[];
  /** What is said where it has no items; absent: `no holds`, by its name. */
  readonly none?: string;
  /** Of a list that goes back to the beginning of the ledger; absent: it is printed whole. */
  readonly usualLimit?: number;
}

/** So many of what is listed newest first. */
export const usualLimit = 50;

const times = ['from', 'until'] as const;

/** An item is of the list that it comes from. */
export function columnsOf<T>(columns: readonly Column<T>[]): readonly Column<unknown>[] {
  return columns as readonly Column<unknown>[];
}

/** Null: there is none. */
function firstOf(names: readonly string[]): string | null {
  return names.length === 0 ? null : nameSome(names, 1);
}

/** The changes of a count; of more than one policy with the policy. */
function eventColumns(policies: 'One' | 'Several'): readonly Column<unknown>[] {
  return columnsOf<ScalingEvent>([
    ['TIME', ({ time }) => time],
    ...(policies === 'One' ? [] : [policyColumn]),
    ['FROM', ({ from }) => from],
    ['TO', ({ to }) => to],
    ['ORIGIN', originText, 'Whole'],
    ['COMMIT', ({ commit, reason }) => (isByOperator(reason) ? null : shortHashOf(commit))],
    ['REASON', ({ reason }) => reason, 'Below'],
  ]);
}

/** How many wait; `0, and 1 not visible` where the caller may not see all of them whole. */
function waitingText({ holds, notVisibleHoldCount = 0 }: SourceOfAnyRelease): number | string {
  const waiting = holds.filter(({ isRejected }) => !isRejected).length;
  return notVisibleHoldCount === 0 ? waiting : `${waiting}, and ${notVisibleHoldCount} not visible`;
}

/** Whether an operator named the count, or the bound that it was corrected to (`Override by ann: incident 7`); no commit did. */
function isByOperator(reason: string): boolean {
  return reason === 'Override' || reason.startsWith('Override by ');
}

const policyColumn: Column<Pick<ScalingEvent, 'policy'>> = [
  'POLICY',
  ({ policy }) => `${policy.namespace}/${policy.name}`,
];

export const historyForm: ListForm = { columns: eventColumns('One'), filters: times, usualLimit };

export const tokensForm: ListForm = {
  columns: columnsOf<Token>([
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['GRANTS', ({ grants }) => grantsText(grants)],
    ['EXPIRES', ({ expiresAt }) => expiresAt],
    ['REVOKED', ({ revokedAt }) => revokedAt],
    ['LAST USED', ({ lastUsedAt }) => lastUsedAt],
  ]),
  filters: [],
};

export const flappingForm: ListForm = {
  none: 'no policy flaps',
  columns: columnsOf<FlappingPolicies['policies'][number]>([
    ['POLICY', ({ policy }) => `${policy.namespace}/${policy.name}`],
    ['REVERSALS', ({ reversals }) => reversals],
    ['CHANGES', ({ changes }) => changes],
    ['LOWEST', ({ lowest }) => lowest],
    ['HIGHEST', ({ highest }) => highest],
  ]),
  filters: times,
};

/** What `plimsoll get` lists, by its path. */
export const listForms: Readonly<Record<string, ListForm>> = {
  policies: {
    columns: columnsOf<Policy>([
      ['POLICY', ({ namespace, name }) => `${namespace}/${name}`],
      ['REPLICAS', ({ status }) => status?.replicas ?? null],
      ['BOUNDS', ({ inForce }) => boundsText(inForce)],
      ['ACTUATION', ({ actuation }) => actuation],
      ['STATUS', ({ status }) => status?.reason ?? null],
      ['STATES', ({ states }) => states.join(',') || null],
      ['COMMIT', ({ origin }) => shortHashOf(origin.commit), 'Spare'],
    ]),
    filters: ['namespace', 'state'],
  },
  sources: {
    columns: columnsOf<SourceOfAnyRelease>([
      ['SOURCE', ({ name }) => name],
      ['REF', ({ ref }) => ref],
      ['COMMIT', ({ commit }) => shortHashOf(commit)],
      ['PINNED', ({ pin }) => (pin === null ? null : shortHash(pin.commit))],
      ['HOLDS', waitingText],
      ['RELEASED', ({ released }) => firstOf(released.map(({ policy }) => policy)), 'Whole'],
      ['STALE SINCE', ({ staleSince }) => staleSince],
      // What became of the latest look: a commit that is rejected shows nowhere else in this list.
      ['LATEST', ({ lastSync }) => lastSync?.result ?? null],
      ['LATEST COMMIT', latestCommit],
      ['MESSAGE', ({ lastSync }) => lastSync?.message || null],
    ]),
    filters: [],
  },
  revisions: {
    columns: columnsOf<Revision>([
      ['FINISHED', ({ finishedAt }) => finishedAt],
      ['OUTCOME', ({ outcome }) => outcome],
      // Whole: it is what a rollback takes.
      ['COMMIT', ({ commit }) => commit.hash],
      ['AUTHOR', ({ commit }) => commit.author],
      ['SUBJECT', ({ commit }) => commit.subject],
      ['MESSAGE', ({ message }) => message],
    ]),
    filters: ['source'],
    usualLimit,
  },
  holds: {
    columns: columnsOf<Hold & Partial<Pick<ListedHold, 'later'>>>([
      ['SOURCE', ({ source }) => source],
      ['TENANT', ({ tenant }) => tenant],
      ['DIGEST', ({ digest }) => digest],
      ['COMMIT', ({ commit }) => shortHash(commit)],
      ['SINCE', ({ since }) => since],
      ['STATE', stateOfHold],
      ['CAUSES', ({ causes }) => causesText(causes)],
      ['EFFECT', ({ effect }) => effectText(effect)],
      // An earlier controller does not say.
      ['LATER', ({ later = [] }) => later.join('; ') || null],
    ]),
    filters: [],
  },
  replicas: {
    columns: columnsOf<Replica>([
      ['ID', ({ id }) => id],
      ['URL', ({ url }) => url],
      ['LEADER', ({ isLeader }) => (isLeader ? 'yes' : null)],
      ['SHARDS', ({ shards }) => shards.length],
      ['NUMBERS', ({ shards }) => numberRanges(shards) || null],
      ['TAKES', takesText],
      ['SINCE', ({ since }) => since],
      ['SEEN', ({ seenAt }) => seenAt],
      ['VERSION', ({ version }) => version],
      ['ANSWERS', ({ isThis }) => (isThis ? 'yes' : null)],
      ['ALONE', ({ aloneBecause }) => aloneBecause],
      ['KNOWN FROM', knownFromText],
    ]),
    filters: [],
  },
  interventions: {
    columns: columnsOf<Intervention>([
      ['ID', ({ id }) => id],
      ['KIND', ({ kind }) => kind],
      ['WHAT', whatText, 'Whole'],
      ['SCOPE', ({ scope }) => scopeText(scope), 'Whole'],
      ['BY', ({ actor }) => actor],
      ['EXPIRES', ({ expires }) => expires],
      ['REASON', ({ reason }) => reason],
      ['FORCED AGAINST', ({ against }) => against.join('; ') || null],
    ]),
    filters: ['namespace', 'kind', 'actor'],
  },
  'orphaned-hpas': {
    none: 'no orphaned HPAs',
    columns: columnsOf<OrphanedHpa>([
      ['HPA', ({ namespace, name }) => `${namespace}/${name}`],
      ['POLICY', ({ policy }) => policy],
      ['SINCE', ({ since }) => since],
      ['WHY', ({ message }) => message],
    ]),
    filters: [],
  },
  degraded: {
    none: 'nothing is degraded',
    columns: columnsOf<Degradation>([
      ['WHAT', ({ what }) => what],
      ['SINCE', ({ since }) => since],
      ['WHY', ({ message }) => message],
    ]),
    filters: [],
  },
  'report-schedules': {
    columns: columnsOf<ReportSchedule>([
      ['NAME', ({ name }) => name],
      ['CRON', ({ cron }) => cron],
      ['TIME ZONE', ({ timeZone }) => timeZone],
      ['FORMAT', ({ format }) => format],
      ['NEXT', ({ nextAt }) => nextAt],
      ['FAILING SINCE', ({ failingSince }) => failingSince],
    ]),
    filters: [],
  },
  decisions: {
    columns: columnsOf<Decision>([
      ['TIME', ({ time }) => time],
      policyColumn,
      ['CURRENT', ({ currentReplicas }) => currentReplicas],
      ['DESIRED', ({ desiredReplicas }) => desiredReplicas],
      ['ACTION', ({ action }) => action],
      ['REASON', ({ reason }) => reason, 'Below'],
      ['ID', ({ id }) => id, 'Spare'],
    ]),
    filters: ['namespace', 'policy', 'action', ...times],
    usualLimit,
  },
  'scaling-events': {
    columns: eventColumns('Several'),
    filters: ['namespace', ...times],
    usualLimit,
  },
  'audit-entries': {
    columns: columnsOf<AuditEntry>([
      ['TIME', ({ time }) => time],
      ['KIND', ({ kind }) => kind],
      ['POLICY', policyOfEntry],
      ['ACTOR', ({ payload }) => actorName(textOf(payload['actor']) ?? '') || null],
      ['WHAT', describeEntry, 'Below'],
      ['ID', ({ id }) => id, 'Spare'],
    ]),
    filters: ['namespace', 'policy', 'kind', 'actor', 'commit', ...times],
    usualLimit,
  },
};

/** What the latest look found, where it is not what is in force. */
function latestCommit({ commit, lastSync }: SourceOfAnyRelease): string | null {
  const found = lastSync?.commit ?? null;
  return found?.hash === commit?.hash ? null : shortHashOf(found);
}

/** Of more than one policy how many there are comes first, since a screen cuts the end. */
function effectText(effect: Hold['effect']): string | null {
  if (effect === null) return null;
  const { added, changed, removed, policies } = effect;
  const total = added + changed + removed;
  if (total === 0) return 'no policy changes';
  const named = policies.slice(0, maximumNamed);
  const others = total - named.length;
  const counts = [
    added > 0 ? `${added} new` : '',
    changed > 0 ? `${changed} changed` : '',
    removed > 0 ? `${removed} removed` : '',
  ].filter((count) => count !== '');
  return [
    total === 1 ? '' : `${counts.join(', ')}: `,
    named.join('; '),
    others > 0 ? `; and ${others} more` : '',
  ].join('');
}

/** Policies that the effect of a hold names. */
const maximumNamed = 10;

/** Of what holds something and is not known to live nobody knows. */
function takesText({ takesShards }: Replica): string | null {
  if (takesShards === null) return '?';
  return takesShards ? null : 'no';
}

/** Nothing is said where it is the database's word. */
function knownFromText({ knownFrom, asOf }: Replica): string | null {
  return knownFrom === 'Database' ? null : `${knownFrom}, as of ${asOf}`;
}

/** What a source that was rolled back has found meanwhile waits for no approval. */
function stateOfHold({ isRejected, rejection, causes }: Hold): string {
  if (isRejected) return rejection === null ? 'rejected' : `rejected by ${rejection.by}: ${rejection.reason}`;
  return causes.some(({ code }) => code === 'RolledBack') ? 'until resumed' : 'awaiting approval';
}

/** What a policy is kept within now, whatever its document says. */
function boundsText({ minReplicas, maxReplicas, pin }: Policy['inForce']): string {
  return pin === null ? `${minReplicas}-${maxReplicas}` : `pinned to ${pin}`;
}

function scopeText(scope: Intervention['scope']): string {
  if (scope.kind === 'Policy') return `${scope.namespace}/${scope.name}`;
  if (scope.kind === 'Namespace') return `namespace ${scope.namespace}`;
  if (scope.kind === 'MetricSource') return `metrics of ${scope.metricSource}`;
  return scope.kind === 'Source' ? `source ${scope.source}` : 'cluster';
}
