import type { EffectivePolicy, FreezeSpec, ScheduleSpec } from '../model/effective-policy.ts';
import { CronStarts } from './cron-starts.ts';
import { TimeZone } from './time-zone.ts';

/** Of most policies. */
const none: readonly WindowInForce[] = [];

interface Span {
  /** RFC 3339. */
  readonly since: string;
  readonly until: string;
}

/** A schedule that is in force: bounds replace the policy's where it names them. */
interface ScheduleInForce extends Span {
  readonly kind: 'Schedule';
  readonly name: string;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
}

/** A freeze that is in force. */
interface FreezeInForce extends Span {
  readonly kind: 'Freeze';
  readonly name: string;
  readonly direction: FreezeSpec['direction'];
}

/** A schedule or a freeze that is in force. */
export type WindowInForce = ScheduleInForce | FreezeInForce;

/**
 * The windows of schedules and freezes, by cron in their own time zone, daylight saving included. A window begins when
 * its cron fires, or, where the clocks skip that time, at the first instant after the gap, and lasts `durationSeconds` of real time; where its spans overlap, `since` and `until` are the
 * earliest one's.
 *
 * A cron that cannot be read throws: a freeze that is silently ignored would let something scale.
 */
export class CronWindows {
  readonly #starts = new WeakMap<ScheduleSpec | FreezeSpec, Starts>();
  /** By name, of which there are a few hundred. */
  readonly #zones = new Map<string, TimeZone>();

  /** The windows in force at a time (RFC 3339). Reads no clock. */
  windowsInForce(
    policy: Pick<EffectivePolicy, 'schedules' | 'freezes'>,
    time: string,
  ): readonly WindowInForce[] {
    if (policy.schedules.length === 0 && policy.freezes.length === 0) return none;
    const now = new Date(time);
    return [
      ...policy.schedules.flatMap((schedule) => this.#scheduleWindow(schedule, now)),
      ...policy.freezes.flatMap((freeze) => this.#freezeWindow(freeze, now)),
    ];
  }

  /** Milliseconds from a time (RFC 3339) until a window begins or ends; null: none does. */
  untilNextChange({ schedules, freezes }: EffectivePolicy, time: string): number | null {
    const now = new Date(time);
    const changes = [...schedules, ...freezes].flatMap((spec) => {
      const span = this.#spanAt(spec, now);
      const start = this.#startsOf(spec).upcoming.after(now.getTime());
      return [...(span === null ? [] : [Date.parse(span.until)]), ...(start === null ? [] : [start])];
    });
    return changes.length === 0 ? null : Math.max(0, Math.min(...changes) - now.getTime());
  }

  #scheduleWindow(schedule: ScheduleSpec, now: Date): readonly ScheduleInForce[] {
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

  #freezeWindow(freeze: FreezeSpec, now: Date): readonly FreezeInForce[] {
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
    const cron = new CronStarts(spec, this.#zoneOf(spec.timeZone));
    const starts = { open: new NextStart(cron), upcoming: new NextStart(cron) };
    this.#starts.set(spec, starts);
    return starts;
  }

  #zoneOf(name: string): TimeZone {
    const zone = this.#zones.get(name) ?? new TimeZone(name);
    this.#zones.set(name, zone);
    return zone;
  }
}

/** Starts of one window, sought from two times: one that is open now, and the next. */
interface Starts {
  readonly open: NextStart;
  readonly upcoming: NextStart;
}

/** The first start after a time, remembered until it has passed: a search may look through years. */
class NextStart {
  readonly #cron: CronStarts;
  #known: { readonly from: number; readonly start: number | null } | undefined;

  constructor(cron: CronStarts) {
    this.#cron = cron;
  }

  /** In milliseconds since 1970, later than the time; null: there is none. */
  after(time: number): number | null {
    const known = this.#known;
    if (known !== undefined && known.from <= time && (known.start === null || time < known.start))
      return known.start;
    const start = this.#cron.after(time);
    this.#known = { from: time, start };
    return start;
  }
}
