import { Cron } from 'croner';
import type { FreezeWindow, ObservedWindow, ScheduleWindow } from '#decision';
import type { EffectivePolicy, FreezeSpec, ScheduleSpec } from '#policy';
import type { WindowsPort } from '#reconciliation';

interface Span {
  readonly since: string;
  readonly until: string;
}

/**
 * The windows of schedules and freezes, by cron in their own time zone, daylight saving included. A window begins when
 * its cron fires and lasts `durationSeconds` of real time; where its spans overlap, `since` and `until` are the
 * earliest one's.
 *
 * A cron that cannot be read throws: a freeze that is silently ignored would let something scale.
 */
export class CronWindows implements WindowsPort {
  readonly #starts = new WeakMap<ScheduleSpec | FreezeSpec, Starts>();

  windowsInForce(policy: EffectivePolicy, time: string): readonly ObservedWindow[] {
    const now = new Date(time);
    return [
      ...policy.schedules.flatMap((schedule) => this.#scheduleWindow(schedule, now)),
      ...policy.freezes.flatMap((freeze) => this.#freezeWindow(freeze, now)),
    ];
  }

  untilNextChange({ schedules, freezes }: EffectivePolicy, time: string): number | null {
    const now = new Date(time);
    const changes = [...schedules, ...freezes].flatMap((spec) => {
      const span = this.#spanAt(spec, now);
      const start = this.#startsOf(spec).upcoming.after(now.getTime());
      return [...(span === null ? [] : [Date.parse(span.until)]), ...(start === null ? [] : [start])];
    });
    return changes.length === 0 ? null : Math.max(0, Math.min(...changes) - now.getTime());
  }

  #scheduleWindow(schedule: ScheduleSpec, now: Date): readonly ScheduleWindow[] {
    const span = this.#spanAt(schedule, now);
    if (span === null) return [];
    const { name, minReplicas, maxReplicas } = schedule;
    return [
      {
        kind: 'Schedule',
        name,
        ...(minReplicas === undefined ? {} : { minReplicas }),
        ...(maxReplicas === undefined ? {} : { maxReplicas }),
        ...span,
      },
    ];
  }

  #freezeWindow(freeze: FreezeSpec, now: Date): readonly FreezeWindow[] {
    const span = this.#spanAt(freeze, now);
    return span === null ? [] : [{ kind: 'Freeze', name: freeze.name, direction: freeze.direction, ...span }];
  }

  /** The first start that lies less than the duration back: exactly then its window is still open. */
  #spanAt(spec: ScheduleSpec | FreezeSpec, now: Date): Span | null {
    const milliseconds = spec.durationSeconds * 1000;
    const start = this.#startsOf(spec).open.after(now.getTime() - milliseconds);
    if (start === null || start > now.getTime()) return null;
    return { since: new Date(start).toISOString(), until: new Date(start + milliseconds).toISOString() };
  }

  #startsOf(spec: ScheduleSpec | FreezeSpec): Starts {
    const known = this.#starts.get(spec);
    if (known !== undefined) return known;
    const cron = new Cron(spec.cron, { timezone: spec.timeZone, paused: true });
    const starts = { open: new NextStart(cron), upcoming: new NextStart(cron) };
    this.#starts.set(spec, starts);
    return starts;
  }
}

/** Starts of one window, sought from two times: one that is open now, and the next. */
interface Starts {
  readonly open: NextStart;
  readonly upcoming: NextStart;
}

/** The first start after a time, remembered until it has passed: a search may look through years. */
class NextStart {
  readonly #cron: Cron;
  #known: { readonly from: number; readonly start: number | null } | undefined;

  constructor(cron: Cron) {
    this.#cron = cron;
  }

  /** In milliseconds since 1970, later than the time; null: there is none. */
  after(time: number): number | null {
    const known = this.#known;
    if (known !== undefined && known.from <= time && (known.start === null || time < known.start))
      return known.start;
    const start = this.#cron.nextRun(new Date(time))?.getTime() ?? null;
    this.#known = { from: time, start };
    return start;
  }
}
