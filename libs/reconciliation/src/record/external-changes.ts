import type { EntryDraft } from '#ledger';
import { nativeManagersOf } from '../hpa/native-managers.ts';
import type { Pass } from '../pass/pass.ts';
import type { Accounting, ExternalChange } from '../runtime/replica-account.ts';
import { externalDraft } from './drafts.ts';

/** The entries of the changes of an accounting. */
export function externalDrafts(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  seen: { readonly accounting: Accounting; readonly time: string },
): readonly EntryDraft[] {
  const { changes } = seen.accounting;
  if (changes.length === 0) return [];
  const isNative = nativeScalings({ ports, runtime });
  return changes.map((change) =>
    externalDraft(runtime.active, change, { ...seen, isNative: isNative(change) }),
  );
}

/**
 * Tells whether a change is the policy's HPA's: by its field manager. After a count of 0 the API server names none, since
 * a scale leaves a 0 out; then what the HPA's status asked for tells.
 */
function nativeScalings({
  ports: { nativeAutoscalers },
  runtime,
}: Pick<Pass, 'ports' | 'runtime'>): (change: ExternalChange) => boolean {
  if (typeof runtime.kept.strategy.hpa?.uid !== 'string') return () => false;
  const { namespace, name } = runtime.active.policy;
  const listing = nativeAutoscalers.listAutoscalers(namespace);
  const managers = nativeManagersOf(listing.state === 'Synced' ? listing.autoscalers : []);
  const asked = nativeAutoscalers.askedLately({ namespace, name });
  return ({ manager, to }) => (manager === null ? asked.has(to) : managers.has(manager));
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
