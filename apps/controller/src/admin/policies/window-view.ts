import type { Direction, ObservedWindow } from '#decision';

/** A schedule or a freeze that is in force, as it is shown. */
export interface WindowView {
  readonly kind: ObservedWindow['kind'];
  readonly name: string;
  /** Null: the policy's own, or a freeze. */
  readonly minReplicas: number | null;
  readonly maxReplicas: number | null;
  /** What a freeze stops; null: a schedule. */
  readonly direction: Direction | null;
  /** RFC 3339. */
  readonly since: string | null;
  readonly until: string | null;
}

/** A window with what its kind does not have as null. */
export function viewWindow(window: ObservedWindow): WindowView {
  const { kind, name, since = null, until = null } = window;
  const schedule = kind === 'Schedule' ? window : undefined;
  return {
    kind,
    name: name ?? '',
    minReplicas: schedule?.minReplicas ?? null,
    maxReplicas: schedule?.maxReplicas ?? null,
    direction: kind === 'Freeze' ? window.direction : null,
    since,
    until,
  };
}
