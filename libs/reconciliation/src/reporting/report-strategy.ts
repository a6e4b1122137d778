import type { ReconcilePorts } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';
import type { StrategyChange } from '../strategy/strategy-changes.ts';

/** Where a change is reported, and of which policy. */
export interface StrategyAudience {
  readonly ports: Pick<ReconcilePorts, 'kubernetesEvents' | 'clock' | 'log'>;
  /** The policy, `shop/checkout`. */
  readonly key: string;
  readonly subject: EventSubject;
}

const names = {
  selectionStrategy: 'Pod selection strategy',
  actuation: 'Actuation',
  algorithm: 'Algorithm',
  enabled: 'Enabled',
} as const;

/**
 * Reports how the policy is carried out from now on. Only changes whose entries are stored are reported, and by the
 * process that stored them: a restart repeats none, and one that comes between entry and event leaves the entry alone.
 */
export function reportStrategy(
  { ports, key, subject }: StrategyAudience,
  changes: readonly StrategyChange[],
): void {
  const event = { subject, type: 'Normal', time: ports.clock.now() } as const;
  for (const { field, before, after } of changes) {
    if (before !== null) {
      const message = `${names[field]} changed from ${before} to ${after}`;
      ports.kubernetesEvents.emit({ ...event, reason: 'StrategyChanged', message });
      ports.log.write({ level: 'info', text: `${key}  ${message}`, fields: { policy: key, before, after } });
    }
    if (field !== 'selectionStrategy' || after !== 'OwnerReference') continue;
    const message = `${names[field]} '${after}' is active`;
    ports.kubernetesEvents.emit({ ...event, reason: 'SelectionStrategyActive', message });
  }
}

/** Reports that the policy's HPA was taken over from another manager. */
export function reportAdoption({ ports, key, subject }: StrategyAudience, before: string | null): void {
  const from = before ?? 'a manager that managedFields do not name';
  const message = `HorizontalPodAutoscaler taken over from ${from}`;
  const event = { subject, type: 'Normal', time: ports.clock.now() } as const;
  ports.kubernetesEvents.emit({ ...event, reason: 'StrategyChanged', message });
  ports.log.write({ level: 'info', text: `${key}  ${message}`, fields: { policy: key, before } });
}
