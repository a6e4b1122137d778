import type { EntryDraft } from '#ledger';
import { nativeManagersOf } from '../hpa/native-managers.ts';
import type { Accounting, ExternalChange } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';
import { externalDraft } from './drafts.ts';

/** The entries of the changes of an accounting. */
export function externalDrafts(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  seen: { readonly accounting: Accounting; readonly time: string },
): readonly EntryDraft[] {
  const { changes } = seen.accounting;
  if (changes.length === 0) return [];
  const nativeManagers = scalingManagers({ ports, runtime });
  return changes.map((change) => externalDraft(runtime.active, change, { ...seen, nativeManagers }));
}

/** The field managers whose changes are the policy's HPA's; none where it has no HPA. */
function scalingManagers({ ports, runtime }: Pick<Pass, 'ports' | 'runtime'>): ReadonlySet<string> {
  if (typeof runtime.strategy.hpa?.uid !== 'string') return new Set();
  const listing = ports.nativeAutoscalers.listAutoscalers(runtime.target.namespace);
  return nativeManagersOf(listing.state === 'Synced' ? listing.autoscalers : []);
}

/** Logs changes of replicas by others, once their entries are stored. */
export function reportExternalChanges(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  changes: readonly ExternalChange[],
): void {
  for (const { from, to, manager } of changes) {
    const by = manager ?? 'a manager that managedFields do not name';
    const text = `${runtime.key} ${from} → ${to}  scaled by ${by}`;
    ports.log.write({ level: 'info', text, fields: { policy: runtime.key, from, to, manager } });
  }
}
