import { policy as texts } from '../../messages/policy.ts';
import type { ShownState } from '../../messages/states.ts';
import { describeWindow } from './describe-window.ts';
import type { PolicyPageQuery } from './policy.generated.ts';

type Given = Pick<
  NonNullable<PolicyPageQuery['policy']>,
  'holds' | 'rejectedCommit' | 'staleSince' | 'status' | 'windows'
>;

/** What a state says beyond its sentence: who or what, and since when it is so. */
export interface StateDetails {
  readonly message: string | null;
  /** RFC 3339; null: not known. */
  readonly since: string | null;
}

/** What a pass had decided stands before it, and on the page elsewhere. */
const beforeObstacle = /^.*\bnot written: /s;

/** Of a stale source, since when; of a window, which, what it does, and until when; of a rejection, whose, why and when, or which commit and its errors; of what a condition states, its message, which names the other autoscaler or manager. */
export function stateDetails(
  state: ShownState,
  { holds, rejectedCommit, staleSince, status, windows }: Given,
): StateDetails {
  if (state === 'StaleSource') return { message: null, since: staleSince };
  if (state === 'Rejected') return rejectionDetails({ holds, rejectedCommit });
  const window = windows.find(({ kind }) => stateOfWindow[kind] === state);
  if (window !== undefined) return windowDetails(window);
  const condition = status?.conditions.find(
    ({ type, status: is }) => type === (conditionOf[state] ?? state) && is === 'True',
  );
  return {
    message: condition?.message?.replace(beforeObstacle, '') ?? null,
    since: condition?.lastTransitionTime ?? null,
  };
}

/** The condition that states it, where that has another name. */
const conditionOf: Readonly<Partial<Record<ShownState, string>>> = { Overdue: 'Degraded' };

const stateOfWindow = { Schedule: 'Scheduled', Freeze: 'Frozen' } as const;

function windowDetails({ until, ...window }: Given['windows'][number]): StateDetails {
  const message = until === null ? window.name : describeWindow({ ...window, until });
  return { message, since: window.since };
}

function commitDetails(rejected: NonNullable<Given['rejectedCommit']>): StateDetails {
  const { commit, tenant, message, notVisible } = rejected;
  const errors = message ?? texts.hasErrors(notVisible ?? '');
  return { message: texts.notInForce(commit.slice(0, 7), tenant, errors), since: null };
}

function rejectionDetails({ holds, rejectedCommit }: Pick<Given, 'holds' | 'rejectedCommit'>): StateDetails {
  if (rejectedCommit !== null) return commitDetails(rejectedCommit);
  const rejection = holds.find(({ isRejected }) => isRejected)?.rejection;
  if (rejection === undefined || rejection === null) return { message: null, since: null };
  return { message: `${rejection.by}: ${rejection.reason}`, since: rejection.time };
}
