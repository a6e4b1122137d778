import type { Memory } from '#decision';
import { parseInstant, wholeSecondsBetween } from '#kernel';
import type { Observed } from '../observe/observe.ts';
import { momentOf } from '../ports/clock.port.ts';
import { maximumRepetitionSeconds } from '../record/stored-state.ts';
import { maximumStepMilliseconds } from '../settled-time.ts';
import type { Pass } from './pass.ts';

/** As long as a policy may make it. */
const longestWindowSeconds = 3_600;

/** Passes that are missed are no absence yet. */
const missedPasses = 2;

/**
 * What a decision begins with. After a time in which nobody decided on the target (no process ran, the policy was
 * disabled, the cluster could not be read), and where the clock was set forward, its windows know nothing of that time,
 * and have forgotten what was before: the present count is taken for a recommendation of now, as for a policy that is
 * new, and as the HPA's controller does when it starts. Else the first sample would shrink the workload at once.
 *
 * @see docs/spec/reconciliation.md
 */
export function memoryAtReturn({ runtime, ports, options }: Pass, { scale, observation }: Observed): Memory {
  const { kept, active } = runtime;
  const { memory } = kept;
  const { recommendations } = memory;
  if (!recommendations || scale === null) return memory;
  const seconds = Math.max(maximumRepetitionSeconds, missedPasses * active.policy.intervalSeconds);
  const now = momentOf(ports.clock);
  const isAway = kept.undecidedMilliseconds(now) >= seconds * 1_000;
  if (!isAway && kept.clockJumpMilliseconds(now) <= maximumStepMilliseconds) return memory;
  const present = { replicas: scale.specReplicas, time: observation.time };
  const window = Math.max(longestWindowSeconds, options.settings.downscaleStabilizationSeconds);
  const known = recommendations.filter(({ time }) => secondsFrom(time, observation.time) <= window);
  return { ...memory, recommendations: [...known, present] };
}

function secondsFrom(time: string, now: string): number {
  const [then, present] = [parseInstant(time), parseInstant(now)];
  return then === undefined || present === undefined ? 0 : wholeSecondsBetween(then, present);
}

/** Keeps the memory of a decision for the next one. */
export function rememberDecided(
  { runtime, ports }: Pick<Pass, 'runtime' | 'ports'>,
  memory: Memory,
  { scale }: Pick<Observed, 'scale'>,
): void {
  runtime.kept.remember(memory);
  if (scale !== null && runtime.active.policy.enabled) runtime.kept.noteDecided(momentOf(ports.clock));
}
