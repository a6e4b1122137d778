import {
  decide,
  type DecideInput,
  type DecideOutput,
  type Decision,
  isDryRun,
  type Memory,
  memoryWithoutWrite,
  type Observation,
  type ObservedWindow,
} from '#decision';
import { err, ok, type Result } from '#kernel';
import { CronWindows } from '#policy';
import { metricName } from '../../evaluation/knobs.ts';
import { metricValues } from '../decision/metric-values.ts';
import type { LoadAt } from './load-curve.ts';
import { SimulatedPods } from './simulated-pods.ts';

/** A policy under a load over time. */
export interface RunRequest {
  /** What it begins with: the policy, and the observation whose load is 100 percent. */
  readonly base: DecideInput;
  readonly loadAt: LoadAt;
  readonly minutes: number;
  /** From the creation of a pod to its being ready. */
  readonly podStartSeconds: number;
}

/** What a policy came to, a pass for each of its intervals. All lists have one item per pass. */
export interface Run {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly intervalSeconds: number;
  readonly loadPercent: readonly number[];
  /** After the pass. */
  readonly replicas: readonly number[];
  readonly ready: readonly number[];
  /** The first metric's value as the pass saw it, and what it is held to. */
  readonly metric: {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly marks: readonly number[];
  };
  /** Passes that changed the count, the first ones. */
  readonly changes: readonly RunChange[];
  readonly changeCount: number;
  /** Passes that could not decide. */
  readonly undecided: number;
  /** Why the first of them could not. */
  readonly undecidedReason: string | undefined;
  /** The pods became too many to go on. */
  readonly isCut: boolean;
}

/** A pass that changed the count. */
export interface RunChange {
  readonly index: number;
  readonly decision: Decision;
}

/** Seven days. */
export const maximumMinutes = 7 * 24 * 60;

/** Seven days at the default interval of 15 s are 40,320. */
const maximumPasses = 50_000;

/** Pods observed in all passes together: some seconds of work. */
const maximumObservedPods = 4_000_000;

/** As many decisions are kept whole. */
const maximumChanges = 500;

/** How a run would be refused: it is too long for its interval. */
export interface RunProblem {
  readonly passes: number;
  readonly most: number;
}

/** Prepares a run, whose steps are its passes. */
export function runCurve(request: RunRequest): Result<Generator<void, Run, void>, RunProblem> {
  const passes = Math.ceil((request.minutes * 60) / request.base.policy.intervalSeconds) + 1;
  if (passes > maximumPasses) return err({ passes, most: maximumPasses });
  return ok(new CurveRun(request).steps(passes));
}

/** One run: the state that a pass leaves to the next is the count, the pods and the memory, as in the controller. */
class CurveRun {
  readonly #request: RunRequest;
  readonly #pods: SimulatedPods;
  readonly #startSeconds: number;
  readonly #windows = new CronWindows();
  #count: number;
  #memory: Memory;
  readonly #times: number[] = [];
  readonly #loads: number[] = [];
  readonly #replicas: number[] = [];
  readonly #ready: number[] = [];
  readonly #values: (number | null)[] = [];
  readonly #changes: RunChange[] = [];
  #marks: readonly number[] = [];
  #changeCount = 0;
  #undecided = 0;
  #undecidedReason: string | undefined;

  constructor(request: RunRequest) {
    const { base, podStartSeconds } = request;
    this.#request = request;
    this.#startSeconds = Date.parse(base.observation.time) / 1_000;
    this.#count = countOf(base.observation);
    this.#memory = base.memory;
    this.#pods = new SimulatedPods(base, {
      bystanders: bystandersOf(decide(base).decision),
      podStartSeconds,
    });
    this.#pods.scaleTo(this.#count, 0, true);
  }

  *steps(passes: number): Generator<void, Run, void> {
    let observedPods = 0;
    for (let index = 0; index < passes && observedPods <= maximumObservedPods; index += 1) {
      this.#pass(index);
      observedPods += this.#count;
      yield;
    }
    return this.#result(observedPods > maximumObservedPods);
  }

  #pass(index: number): void {
    const { base, loadAt } = this.#request;
    const seconds = index * base.policy.intervalSeconds;
    const percent = loadAt(seconds);
    const observation = this.#observe(seconds, percent / 100);
    const input = { ...base, observation, memory: this.#memory };
    const output = decide(input);
    this.#note({ index, seconds, percent, output });
    const isDry = isDryRun(base.policy, observation);
    // The watermark family simulates its windows in a dry run; the other has not scaled.
    const isWritten = !isDry || base.policy.family === 'watermark';
    this.#memory = isWritten ? output.memory : memoryWithoutWrite(input, output);
    const desired = output.decision.desiredReplicas;
    if (isDry || desired === null || desired === this.#count) return;
    this.#count = desired;
    this.#pods.scaleTo(desired, seconds);
  }

  #observe(seconds: number, factor: number): Observation {
    const { observation } = this.#request.base;
    const time = new Date((this.#startSeconds + seconds) * 1_000).toISOString();
    const { scale } = observation;
    const counts = { specReplicas: this.#count, statusReplicas: this.#count };
    return {
      ...observation,
      time,
      scale: 'specReplicas' in scale ? { ...scale, ...counts } : scale,
      ...this.#pods.observedAt({ seconds, factor }),
      windows: this.#windowsAt(time),
    };
  }

  /** Those of the policy, and what was observed beside them for as long as that lasts. */
  #windowsAt(time: string): readonly ObservedWindow[] {
    const { policy, observation } = this.#request.base;
    const own = new Set([...policy.schedules, ...policy.freezes].map(({ name }) => name));
    const others = (observation.windows ?? []).filter(
      ({ name, until }) =>
        !own.has(name ?? '') &&
        (until === undefined || until === null || Date.parse(until) > Date.parse(time)),
    );
    return [...this.#windows.windowsInForce(policy, time), ...others];
  }

  #note({ index, seconds, percent, output: { decision } }: NotedPass): void {
    this.#times.push(this.#startSeconds + seconds);
    this.#loads.push(percent);
    this.#ready.push(this.#pods.readyAt(seconds));
    this.#replicas.push(decision.desiredReplicas ?? this.#count);
    const [metric] = decision.metrics;
    const { value, target } = metric === undefined ? { value: null, target: null } : metricValues(metric);
    this.#values.push(value?.number ?? null);
    if (target !== null) this.#marks = target.marks;
    if (decision.action === 'Hold') {
      this.#undecided += 1;
      this.#undecidedReason ??= decision.reason;
    }
    if (decision.desiredReplicas === decision.currentReplicas) return;
    this.#changeCount += 1;
    if (this.#changes.length < maximumChanges) this.#changes.push({ index, decision });
  }

  #result(isCut: boolean): Run {
    const { policy } = this.#request.base;
    const [metric] = policy.metrics;
    return {
      times: this.#times,
      intervalSeconds: policy.intervalSeconds,
      loadPercent: this.#loads,
      replicas: this.#replicas,
      ready: this.#ready,
      metric: {
        name: metric === undefined ? '' : metricName(metric),
        values: this.#values,
        marks: this.#marks,
      },
      changes: this.#changes,
      changeCount: this.#changeCount,
      undecided: this.#undecided,
      undecidedReason: this.#undecidedReason,
      isCut,
    };
  }
}

interface NotedPass {
  readonly index: number;
  readonly seconds: number;
  readonly percent: number;
  readonly output: DecideOutput;
}

function countOf({ scale }: Observation): number {
  return 'specReplicas' in scale ? scale.specReplicas : 0;
}

/** Pods that selection left out, and those that do not run. */
function bystandersOf({ metrics }: Decision): ReadonlySet<string> {
  return new Set(
    metrics.flatMap(({ pods: { filteredOut, ignored } }) => [
      ...filteredOut.map(({ pod }) => pod),
      ...ignored,
    ]),
  );
}
