import type { ScalingEvent } from '#contracts';

/** Who else changed a count is named by its field manager; Plimsoll's own says the same again. */
export function originText({ origin, manager }: Pick<ScalingEvent, 'origin' | 'manager'>): string {
  return manager === null || origin === 'Plimsoll' ? origin : `${origin} (${manager})`;
}
