import type { Decision, FailureReport } from '#decision';
import type { Pass } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';

/**
 * Reports whether the owner filter of a decision worked, in the condition `OwnerLookupFailed`: with an Event and a log
 * line when it begins to fall back to all pods of the selector, and a log line when it works again. A policy that does
 * not filter by owners has no such condition.
 */
export function reportSelection(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  { selection, time }: Decision,
  subject: EventSubject,
): void {
  const { requested, fallback } = selection;
  const isKnown = runtime.conditions.get('OwnerLookupFailed') !== undefined;
  if (fallback === null && requested !== 'OwnerReference' && !isKnown) return;
  const state =
    fallback === null
      ? ({ status: 'False', reason: 'OwnersFound', message: 'every owner was looked up' } as const)
      : ({ status: 'True', reason: fallback.reason, message: describeFallback(fallback) } as const);
  const before = runtime.conditions.set({ type: 'OwnerLookupFailed', ...state }, time);
  const wasFailing = before?.status === 'True';
  if (wasFailing === (fallback !== null)) return;
  const fields = { policy: runtime.key, reason: state.reason };
  const text = `${runtime.key}  ${state.message}`;
  ports.log.write({ level: fallback === null ? 'info' : 'warn', text, fields });
  if (fallback === null) return;
  const { reason, message } = state;
  ports.kubernetesEvents.emit({ subject, type: 'Warning', reason, message, time });
}

/** What the failure means for the count; the decision has the failure alone. */
function describeFallback({ message }: FailureReport): string {
  return `owners could not be looked up, so all label-matched pods count: ${message}`;
}
