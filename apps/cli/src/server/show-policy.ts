import type { Blame, Decision, Policy, PolicyVersion, ScalingEvent } from '#contracts';
import type { Decision as ExplainedDecision } from '#decision';
import { explainDecision, type Paint } from '../decision/explain-decision.ts';
import { table } from './print-answer.ts';

interface Commit {
  readonly hash: string;
  readonly author: string;
  readonly subject: string;
}

/** A decision's waterfall, and the commit behind it. */
export function showWhy(decision: Decision, paint: Paint): string {
  const { departures, commit } = decision;
  // The wire has the shapes of the decision contract.
  const explained = { decision: decision as unknown as ExplainedDecision, departures };
  return `${explainDecision(explained, paint)}\n\n${commitLine(commit)}`;
}

/** What stands behind a decision, from the commit to the writes. */
export function showBlame({ decision, version, revision, sync, intents, outcomes }: Blame): string {
  const { policy, currentReplicas, desiredReplicas, action, reason } = decision;
  const place =
    version === null
      ? ''
      : `  policy    ${version.origin.file}:${version.origin.line}, in force since ${version.validFrom}\n`;
  return [
    `${policy.namespace}/${policy.name}  ${decision.time}  ${currentReplicas ?? '?'} → ${desiredReplicas ?? '?'}  ${action}: ${reason}\n`,
    place,
    `  ${commitLine(decision.commit)}`,
    revision === null
      ? ''
      : `  revision  ${revision.outcome} at ${revision.finishedAt}: ${revision.message}\n`,
    sync === null ? '' : `  sync      ${sync.id} at ${sync.time}\n`,
    ...intents.map(({ kind, time, id }) => `  announced ${kind} at ${time}, ${id}\n`),
    ...outcomes.map(({ kind, time, id }) => `  written   ${kind} at ${time}, ${id}\n`),
  ].join('');
}

export function showPolicies(policies: readonly Policy[]): string {
  return table(policies, [
    ['POLICY', ({ namespace, name }) => `${namespace}/${name}`],
    ['REPLICAS', ({ status }) => status?.replicas ?? null],
    ['BOUNDS', ({ minReplicas, maxReplicas }) => `${minReplicas}-${maxReplicas}`],
    ['ACTUATION', ({ actuation }) => actuation],
    ['STATUS', ({ status }) => status?.reason ?? null],
    ['COMMIT', ({ origin }) => origin.commit.hash.slice(0, 12)],
  ]);
}

export function showHistory(events: readonly ScalingEvent[]): string {
  return table(events, [
    ['TIME', ({ time }) => time],
    ['FROM', ({ from }) => from],
    ['TO', ({ to }) => to],
    ['ORIGIN', ({ origin, manager }) => (manager === null ? origin : `${origin} (${manager})`)],
    ['COMMIT', ({ commit }) => commit?.hash.slice(0, 12) ?? null],
    ['REASON', ({ reason }) => reason],
  ]);
}

export function showChanges(versions: readonly PolicyVersion[]): string {
  return table(versions, [
    ['FROM', ({ validFrom }) => validFrom],
    ['UNTIL', ({ validTo }) => validTo],
    ['COMMIT', ({ origin }) => origin.commit.hash.slice(0, 12)],
    ['AUTHOR', ({ origin }) => origin.commit.author],
    ['SUBJECT', ({ origin, departure }) => departure ?? origin.commit.subject],
  ]);
}

function commitLine(commit: Commit | null): string {
  if (commit === null) return 'commit    not known\n';
  return `commit    ${commit.hash.slice(0, 12)} ${commit.subject} (${commit.author})\n`;
}
