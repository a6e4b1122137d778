import type { SqlClusterBinding } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { AdapterError, canonicalJson, type JsonObject } from '#kernel';
import { adminStream, type LedgerPort, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';

/** What settings are recorded with. */
export interface SettingsPorts {
  readonly ledger: Pick<LedgerPort, 'newestEntry'>;
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly binding: Pick<SqlClusterBinding, 'read'>;
}

/**
 * Records what decisions depend on beside policies, where it differs from the last start: cluster, its uid, namespaces, mode,
 * settings and gates. The first start records it too, so that the ledger says what every decision was made under.
 */
export async function recordSettings(
  configuration: Configuration,
  { ledger, writer, clock, binding }: SettingsPorts,
): Promise<void> {
  const clusterUid = (await binding.read())?.uid ?? null;
  const after = { ...settingsOf(configuration), clusterUid };
  const before = await loadLast(ledger);
  if (before !== null && canonicalJson(before) === canonicalJson(after)) return;
  const appended = await writer.append({
    drafts: [{ stream: adminStream, kind: 'SettingsChange', time: clock.now(), payload: { before, after } }],
  });
  if (appended.ok) return;
  throw new AdapterError({
    code: appended.error.code,
    message: 'the settings could not be recorded',
    retryable: true,
  });
}

function settingsOf({ cluster, namespaces, mode, settings, reconcile }: Configuration): JsonObject {
  return { cluster: cluster.name, namespaces, mode, settings, reconcile };
}

async function loadLast(ledger: SettingsPorts['ledger']): Promise<JsonObject | null> {
  const change = await ledger.newestEntry({ stream: adminStream, kind: 'SettingsChange' });
  return change?.payload.after ?? null;
}
