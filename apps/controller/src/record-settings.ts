import type { Configuration } from '#configuration';
import { AdapterError, canonicalJson, type JsonObject } from '#kernel';
import { administrationScope, adminStream } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { OpenLedger } from './database.ts';

/**
 * Records what decisions depend on beside policies, where it differs from the last start: cluster, namespaces, mode,
 * settings and gates. The first start records it too, so that the ledger says what every decision was made under.
 */
export async function recordSettings(
  configuration: Configuration,
  ledger: OpenLedger,
  clock: ClockPort,
): Promise<void> {
  const after = settingsOf(configuration);
  const before = await loadLast(ledger);
  if (before !== null && canonicalJson(before) === canonicalJson(after)) return;
  const appended = await ledger.writer
    .under(() => ledger.held.of(administrationScope))
    .append({
      drafts: [
        { stream: adminStream, kind: 'SettingsChange', time: clock.now(), payload: { before, after } },
      ],
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

async function loadLast({ ledger }: OpenLedger): Promise<JsonObject | null> {
  const { items } = await ledger.entries({
    kinds: ['SettingsChange'],
    stream: adminStream,
    order: 'NewestFirst',
    limit: 1,
  });
  const entry = items[0]?.entry;
  return entry?.kind === 'SettingsChange' ? entry.payload.after : null;
}
