import type { Memory, TimedReplicas } from '#decision';
import { parseInstant, wholeSecondsBetween } from '#kernel';
import type { Pass } from '../pass/pass.ts';
import { momentOf } from '../ports/clock.port.ts';
import { maximumRepetitionSeconds } from '../runtime/stored-state.ts';
import type { Observed } from './observe.ts';
import { maximumStepMilliseconds } from './settled-time.ts';

/** As long as a policy may make it. */
const longestWindowSeconds = 3_600;

/** Passes that are missed are no absence yet. */
const missedPasses = 2;

/**
 * What a decision begins with. After a time in which nobody decided on the target (no process ran, the policy was
 * disabled, the cluster could not be read), and where the clock was set forward, its windows know nothing of that time,
 * and have forgotten what was before: the present count is taken for a recommendation of now, as for a policy that is
 * new, and as the HPA's controller does when it starts. Else the first sample would shrink the workload at once. What
 * delays, forbidden windows and rate policies are counted from goes on with a clock that was set forward, so that none of
 * them ends before its time. On another object than the one that was decided on, windows and delays begin anew, too.
 *
 * @see docs/spec/reconciliation.md
 */
export function memoryAtReturn({ runtime, ports, options }: Pass, { scale, observation }: Observed): Memory {
  const { kept, active } = runtime;
  if (scale === null) return kept.memory;
  const now = momentOf(ports.clock);
  const jumpMilliseconds = kept.clockJumpMilliseconds(now);
  const hasJumped = jumpMilliseconds > maximumStepMilliseconds;
  // Of a policy that is disabled no decision is noted, and each pass would see the same jump.
  const known = hasJumped && active.policy.enabled ? moved(kept.memory, jumpMilliseconds) : kept.memory;
  const isOfAnother = active.policy.enabled && kept.isOfAnother(scale.uid);
  const memory = isOfAnother ? beganAt(known, observation.time) : known;
  const { recommendations } = memory;
  if (!recommendations) return memory;
  const seconds = Math.max(maximumRepetitionSeconds, missedPasses * active.policy.intervalSeconds);
  const isAway = kept.undecidedMilliseconds(now) >= seconds * 1_000;
  if (!isAway && !hasJumped && !isOfAnother) return memory;
  const present = { replicas: scale.specReplicas, time: observation.time };
  const window = Math.max(longestWindowSeconds, options.settings.downscaleStabilizationSeconds);
  const former = recommendations.filter(({ time }) => secondsFrom(time, observation.time) <= window);
  return { ...memory, recommendations: [...former, present] };
}

function secondsFrom(time: string, now: string): number {
  const [then, present] = [parseInstant(time), parseInstant(now)];
  return then === undefined || present === undefined ? 0 : wholeSecondsBetween(then, present);
}

/** Their transition times are the timers of delays. */
const timers: ReadonlySet<string> = new Set(['AboveHighWatermark', 'BelowLowWatermark']);

/**
 * Delays begin anew: for how long a value has been beyond its marks is known of another object. Without the condition, as on
 * the very first evaluation, nothing would be delayed.
 */
function beganAt(memory: Memory, time: string): Memory {
  const { conditions } = memory;
  if (!conditions) return memory;
  const begun = conditions.map((each) =>
    timers.has(each.type) ? { ...each, lastTransitionTime: time } : each,
  );
  return { ...memory, conditions: begun };
}

/** What is counted from stays as long ago as it was. */
function moved(memory: Memory, milliseconds: number): Memory {
  const { lastScaleTime, scaleUpEvents, scaleDownEvents, conditions } = memory;
  const later = (time: string): string => new Date(Date.parse(time) + milliseconds).toISOString();
  const events = (list: readonly TimedReplicas[]): readonly TimedReplicas[] =>
    list.map((event) => ({ ...event, time: later(event.time) }));
  return {
    ...memory,
    ...(lastScaleTime && { lastScaleTime: later(lastScaleTime) }),
    ...(scaleUpEvents && { scaleUpEvents: events(scaleUpEvents) }),
    ...(scaleDownEvents && { scaleDownEvents: events(scaleDownEvents) }),
    ...(conditions && {
      conditions: conditions.map((condition) => {
        const { type, lastTransitionTime } = condition;
        if (!timers.has(type) || !lastTransitionTime) return condition;
        return { ...condition, lastTransitionTime: later(lastTransitionTime) };
      }),
    }),
  };
}

/** Keeps the memory of a decision for the next one. */
export function rememberDecided(
  { runtime, ports }: Pick<Pass, 'runtime' | 'ports'>,
  memory: Memory,
  { scale }: Pick<Observed, 'scale'>,
): void {
  runtime.kept.remember(memory);
  if (scale !== null && runtime.active.policy.enabled)
    runtime.kept.noteDecided(momentOf(ports.clock), scale.uid);
}
