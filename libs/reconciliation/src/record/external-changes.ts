import type { EntryDraft } from '#ledger';
import type { Accounting, ExternalChange } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';
import { externalDraft } from './drafts.ts';

/** The entries of the changes of an accounting. */
export function externalDrafts(
  { runtime }: Pick<Pass, 'runtime'>,
  seen: { readonly accounting: Accounting; readonly time: string },
): readonly EntryDraft[] {
  const hasHpa = typeof runtime.strategy.hpa?.uid === 'string';
  return seen.accounting.changes.map((change) => externalDraft(runtime.active, change, { ...seen, hasHpa }));
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
