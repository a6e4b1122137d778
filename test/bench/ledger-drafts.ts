import { actions } from '#decision';
import { type DraftOf, type EntryDraft, type PolicyKey, policyStream } from '#ledger';
import { aCommit, aDecisionPayload, anActionDraft, anEventDraft } from '../support/ledger-builders.ts';

/** How much is measured; the budgets are of 10 million entries. */
export const entryCount = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000);
export const policyCount = 10_000;

/** The entries are of three years, which is 37 partitions and the default one on PostgreSQL. */
export const months = 36;
const begin = Date.now() / 1_000 + 31 * 86_400;
const secondsPerEntry = (months * 30 * 86_400) / entryCount;

/** Beside the runs, one entry in so many is a decision, one a scaling event, and one in ten of these comes with an action. */
export const runsPerEvent = 50;
const commitCount = 200;
const actorCount = 20;

/** What most entries are: fifteen minutes of one policy without a change. */
export function run(index: number): DraftOf<'DecisionRun'> {
  const policy = policyOf(index);
  const time = timeOf(index);
  return {
    stream: policyStream(policy),
    kind: 'DecisionRun',
    time,
    payload: {
      policy,
      first: new Date(Date.parse(time) - 885_000).toISOString(),
      last: time,
      count: 60,
      action: 'None',
      desiredReplicas: 4,
      reason: 'cpu within tolerance of the target',
      metrics: [
        {
          type: 'Resource',
          name: 'cpu',
          proposedReplicas: { min: 4, max: 4 },
          current: {
            averageUtilization: { min: 55, max: 64 },
            averageValue: { min: `${55 + (index % 7)}m`, max: '64m' },
          },
        },
      ],
    },
  };
}

function policyOf(index: number): PolicyKey {
  return { namespace: `team-${index % 50}`, name: `service-${index % policyCount}` };
}

function timeOf(index: number): string {
  return new Date((begin + index * secondsPerEntry) * 1_000).toISOString();
}

/** What lists find by commit and by actor, and decisions of all policies in turn. */
export function events(index: number): readonly EntryDraft[] {
  const time = timeOf(index);
  const commit = { ...aCommit, hash: `commit-${Math.floor((index / entryCount) * commitCount)}` };
  const number = Math.floor(index / runsPerEvent);
  const policy = policyOf(number);
  const payload = {
    ...aDecisionPayload({ policy, time, action: actions[number % actions.length] ?? 'None' }),
    commit,
  };
  const decided: EntryDraft = { stream: policyStream(policy), kind: 'Decision', time, payload };
  const event = anEventDraft({ policy: policyOf(index), commit }, time);
  const actor = `actor-${Math.floor(number / 10) % actorCount}`;
  const drafts = [decided, event];
  return index % (runsPerEvent * 10) === 0 ? [...drafts, anActionDraft(actor, time)] : drafts;
}
