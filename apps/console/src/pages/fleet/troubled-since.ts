import type { ShownState } from '../../messages/states.ts';
import type { FleetRow } from './fleet-rows.ts';
import { shownStates } from './fleet-view.ts';

/** The condition whose transition was the beginning of a state, and its status since then. */
const conditions: Readonly<Partial<Record<ShownState, readonly [type: string, status: string]>>> = {
  Failing: ['Ready', 'False'],
  Waiting: ['Ready', 'Unknown'],
  Conflict: ['Conflict', 'True'],
  Overdue: ['Degraded', 'True'],
  Contested: ['Contested', 'True'],
  Short: ['ScalingLimited', 'True'],
  AtMaximum: ['ScalingLimited', 'True'],
};

/** What sources of the fleet say. */
interface SourceAge {
  readonly name: string;
  readonly staleSince: string | null;
}

/** Since when the most pressing of a row's states holds, RFC 3339; null: nothing says so. */
export function troubledSince(row: FleetRow, sources: readonly SourceAge[]): string | null {
  const [state] = shownStates(row);
  if (state === undefined) return null;
  if (state === 'StaleSource')
    return sources.find(({ name }) => name === row.origin.source)?.staleSince ?? null;
  const [type, status] = conditions[state] ?? [];
  const found = row.status?.conditions?.find((each) => each.type === type && each.status === status);
  return found?.lastTransitionTime ?? null;
}
