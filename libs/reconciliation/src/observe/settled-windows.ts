import { type ObservedWindow, replaceBounds, type ScheduleWindow } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { ClockPort } from '../ports/clock.port.ts';
import type { LogPort } from '../ports/log.port.ts';
import type { SettledWindowsPort, WindowedPolicy, WindowsPort } from '../ports/windows.port.ts';
import { type ClockDoubt, maximumStepMilliseconds, SettledTime } from './settled-time.ts';

/** A glitch is over by then; a clock that was set right acts after that. */
const settlingMilliseconds = 300_000;

export interface SettledWindowsOptions {
  readonly windows: WindowsPort;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly log: LogPort;
}

/**
 * Windows of the present that a clock which jumps does not loosen. A jump says nothing of which time is right, so for five
 * minutes both are: that of the clock, and the one that it would be without the jump. A freeze stops where either has it,
 * and of the bounds of schedules the higher minimum and the higher maximum count. Times that are not about now are only
 * looked up.
 */
export class SettledWindows implements SettledWindowsPort {
  readonly #options: SettledWindowsOptions;
  readonly #time: SettledTime;
  /** The doubt that was told last, and when, in milliseconds of the monotonic clock. */
  #told: { readonly since: number; readonly at: number } | null = null;

  constructor(options: SettledWindowsOptions) {
    this.#options = options;
    this.#time = new SettledTime(options.clock, {
      maximumJumpMilliseconds: maximumStepMilliseconds,
      settlingMilliseconds,
      doubts: 'Either',
    });
  }

  /** That the clock has jumped and windows act by two times; null: it has not, or is believed again. */
  get doubt(): ClockDoubt | null {
    const doubt = this.#time.doubt();
    this.#tell(doubt);
    return doubt;
  }

  get isTimeInDoubt(): boolean {
    return this.doubt !== null;
  }

  windowsInForce(policy: WindowedPolicy, time: string): readonly ObservedWindow[] {
    const { windows } = this.#options;
    const doubt = this.#doubtOf(time);
    const found = windows.windowsInForce(policy, time);
    if (doubt === null) return found;
    const settled = windows.windowsInForce(policy, withoutJump(time, doubt));
    return tightest(policy, { found, settled: settled.map((window) => putOff(window, doubt)) });
  }

  untilNextChange(policy: EffectivePolicy, time: string): number | null {
    const { windows } = this.#options;
    const doubt = this.#doubtOf(time);
    const change = windows.untilNextChange(policy, time);
    if (doubt === null) return change;
    const changes = [change, windows.untilNextChange(policy, withoutJump(time, doubt))];
    const untilBelieved = Math.max(0, doubt.believedAt - Date.parse(time));
    return Math.min(untilBelieved, ...changes.filter((milliseconds) => milliseconds !== null));
  }

  /** A time of the past or the future is not in doubt. */
  #doubtOf(time: string): ClockDoubt | null {
    const { doubt } = this;
    if (doubt === null) return null;
    const distance = Math.abs(Date.parse(this.#options.clock.now()) - Date.parse(time));
    return distance <= maximumStepMilliseconds ? doubt : null;
  }

  /** Once per doubt, and of a clock that jumps to and fro once in the time that it takes to be believed. */
  #tell(doubt: ClockDoubt | null): void {
    const { clock, log } = this.#options;
    if (doubt === null || doubt.since === this.#told?.since) return;
    const at = clock.monotonicMilliseconds();
    if (this.#told !== null && at - this.#told.at < settlingMilliseconds) return;
    this.#told = { since: doubt.since, at };
    const fields = {
      jumpSeconds: Math.round(doubt.jumpMilliseconds / 1_000),
      believedAt: new Date(doubt.believedAt).toISOString(),
    };
    log.write({ level: 'warn', text: describeDoubt(doubt), fields });
  }
}

/** For a person. */
export function describeDoubt({ jumpMilliseconds, believedAt }: ClockDoubt): string {
  const seconds = Math.round(Math.abs(jumpMilliseconds) / 1_000);
  const direction = jumpMilliseconds > 0 ? 'forward' : 'back';
  return `the clock was set ${direction} by ${seconds} s: until ${new Date(believedAt).toISOString()} schedules and freezes act as by either time`;
}

/** A time of the clock as it would be had it not jumped. */
function withoutJump(time: string, { jumpMilliseconds }: ClockDoubt): string {
  return new Date(Date.parse(time) - jumpMilliseconds).toISOString();
}

/** A window of the time without the jump, by the clock as it goes; it does not act for longer than that is in doubt. */
function putOff<W extends ObservedWindow>(window: W, { jumpMilliseconds, believedAt }: ClockDoubt): W {
  const moved = (time: string): number => Date.parse(time) + jumpMilliseconds;
  const { since, until } = window;
  return {
    ...window,
    ...(typeof since === 'string' && { since: new Date(moved(since)).toISOString() }),
    ...(typeof until === 'string' && { until: new Date(Math.min(moved(until), believedAt)).toISOString() }),
  };
}

/** The windows by the clock, and those that there would be without its jump. */
interface TwoTimes {
  readonly found: readonly ObservedWindow[];
  readonly settled: readonly ObservedWindow[];
}

/** Those that take the least away. What both times have is the clock's. */
function tightest(policy: WindowedPolicy, { found, settled }: TwoTimes): readonly ObservedWindow[] {
  const schedules = widestSchedules(policy, found.filter(isSchedule), settled.filter(isSchedule));
  const freezes = [...settled, ...found].filter((window) => !isSchedule(window));
  return [...schedules, ...new Map(freezes.map((freeze) => [freeze.name, freeze])).values()];
}

/** Each bound of the time that gives the higher one: a schedule may lower what the policy has, too. */
function widestSchedules(
  { minReplicas, maxReplicas }: WindowedPolicy,
  found: readonly ScheduleWindow[],
  settled: readonly ScheduleWindow[],
): readonly ScheduleWindow[] {
  const own = { min: minReplicas, max: maxReplicas };
  const [present, former] = [replaceBounds(own, found), replaceBounds(own, settled)];
  const minima = byName(lowest(former) > lowest(present) ? settled : found);
  const maxima = byName(former.max > present.max ? settled : found);
  return [...byName([...settled, ...found])].flatMap(([name, { kind, since, until }]) => {
    const [min, max] = [minima.get(name)?.minReplicas, maxima.get(name)?.maxReplicas];
    const bounds = { ...(isNumber(min) && { minReplicas: min }), ...(isNumber(max) && { maxReplicas: max }) };
    return Object.keys(bounds).length === 0 ? [] : [{ kind, name, ...bounds, since, until }];
  });
}

/** The minimum gives way to the maximum where they cross. */
function lowest({ min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(min, max);
}

/** Of two of a name the last. */
function byName(schedules: readonly ScheduleWindow[]): ReadonlyMap<string, ScheduleWindow> {
  return new Map(schedules.map((schedule) => [schedule.name ?? '', schedule]));
}

function isSchedule(window: ObservedWindow): window is ScheduleWindow {
  return window.kind === 'Schedule';
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
