import type { Pass } from '../pass/pass.ts';
import { describeContest } from '../plan/contest.ts';

/**
 * Sets the condition `Contested`, and logs its beginning and its end. A policy that was never contested has no such
 * condition; the Event is that of the outcome.
 */
export function reportContest({ ports, runtime }: Pick<Pass, 'ports' | 'runtime'>, time: string): void {
  const contest = runtime.contest.at(ports.clock.monotonicMilliseconds());
  const wasKnown = runtime.conditions.get('Contested') !== undefined;
  if (contest === null && !wasKnown) return;
  const contested = runtime.active.policy.actuation === 'Scale' ? 'Scale' : 'Hpa';
  const state =
    contest === null
      ? ({ status: 'False', reason: 'NotContested', message: 'no write was undone lately' } as const)
      : ({ status: 'True', reason: 'Contested', message: describeContest(contest, contested) } as const);
  const before = runtime.conditions.set({ type: 'Contested', ...state }, time);
  if (before?.status === state.status) return;
  const fields = { policy: runtime.key, reason: state.reason };
  ports.log.write({ level: 'info', text: `${runtime.key}  ${state.message}`, fields });
}
