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
  readonly #crons = new WeakMap<ScheduleSpec | FreezeSpec, Cron>();

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
      const start = this.#cronOf(spec).nextRun(now)?.getTime();
      return [...(span === null ? [] : [Date.parse(span.until)]), ...(start === undefined ? [] : [start])];
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
    const start = this.#cronOf(spec).nextRun(new Date(now.getTime() - milliseconds));
    if (start === null || start.getTime() > now.getTime()) return null;
    return { since: start.toISOString(), until: new Date(start.getTime() + milliseconds).toISOString() };
  }

  #cronOf(spec: ScheduleSpec | FreezeSpec): Cron {
    const known = this.#crons.get(spec);
    if (known !== undefined) return known;
    const cron = new Cron(spec.cron, { timezone: spec.timeZone, paused: true });
    this.#crons.set(spec, cron);
    return cron;
  }
}
