import type { ControllerMode } from '../schema.generated.ts';
import { createStore } from '../state/store.ts';

/** Whether the controller carries out what it decides; undefined: it has not said yet. */
export const controllerMode = createStore<ControllerMode | undefined>(undefined);

/** Asks the probe, which takes no look at the fleet. What is no answer leaves what is known. */
export async function loadControllerMode(): Promise<void> {
  const answer = await fetch('/readyz', { cache: 'no-store' }).catch(() => undefined);
  const report: unknown = await answer?.json().catch(() => undefined);
  if (typeof report !== 'object' || report === null || !('controllerMode' in report)) return;
  const { controllerMode: mode } = report;
  if (mode === 'Observe' || mode === 'Act') controllerMode.set(mode);
}
