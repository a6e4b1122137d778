import type { ExternalChange } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';

/** Tells people that somebody else changed the replicas. */
export function tellExternalChange({ ports, runtime }: Pass, { from, to, manager }: ExternalChange): void {
  const by = manager ?? 'somebody whom managedFields do not name';
  const text = `${runtime.key} ${from} → ${to}  scaled by ${by}`;
  ports.log.write({ level: 'info', text, fields: { policy: runtime.key, from, to, manager } });
}
