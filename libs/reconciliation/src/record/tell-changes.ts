import type { ExternalChange } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';

/** A change of the requested selection, the gate applied; `before` is null for a new policy. */
export interface StrategySwitch {
  readonly before: string | null;
  readonly after: string;
}

/** Tells people that somebody else changed the replicas. */
export function tellExternalChange({ ports, runtime }: Pass, { from, to, manager }: ExternalChange): void {
  const by = manager ?? 'somebody whom managedFields do not name';
  const text = `${runtime.key} ${from} → ${to}  scaled by ${by}`;
  ports.log.write({ level: 'info', text, fields: { policy: runtime.key, from, to, manager } });
}

/** Tells people how pods are selected from now on. It follows the recorded entry, so a restart does not repeat it. */
export function tellStrategy(
  { ports, runtime }: Pass,
  { before, after }: StrategySwitch,
  subject: EventSubject,
): void {
  const event = { subject, type: 'Normal', time: ports.clock.now() } as const;
  if (before !== null) {
    const message = `Pod selection strategy changed from ${before} to ${after}`;
    ports.kubernetesEvents.emit({ ...event, reason: 'StrategyChanged', message });
    const fields = { policy: runtime.key, before, after };
    ports.log.write({ level: 'info', text: `${runtime.key}  ${message}`, fields });
  }
  const message = `Pod selection strategy '${after}' is active`;
  ports.kubernetesEvents.emit({ ...event, reason: 'SelectionStrategyActive', message });
}
