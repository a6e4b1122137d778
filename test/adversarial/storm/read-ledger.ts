import { openLedgerDatabase } from '#adapter-sql';
import { entryId, type LedgerEntry, type LedgerPort, policyStream, sha256Hex, verifyStream } from '#ledger';
import type { RecordedChange, UnmadeWrite } from './compare-records.ts';

/** What the ledger says of one policy. */
export interface PolicyRecord {
  readonly name: string;
  readonly entries: readonly LedgerEntry[];
  /** Its changes of replicas, in their order. */
  readonly changes: readonly RecordedChange[];
  /** What is wrong with its chain; none: it verifies. */
  readonly chainFaults: readonly string[];
}

/** Reads the entries of policies of one namespace, and verifies their chains. */
export async function readLedger(
  url: string,
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] },
): Promise<readonly PolicyRecord[]> {
  const database = await openLedgerDatabase({ url });
  try {
    const records: PolicyRecord[] = [];
    for (const name of names) {
      const stream = policyStream({ namespace, name });
      const entries = await readStream(database.ledger, stream);
      const [head] = await database.ledger.heads([stream]);
      const verified = head === undefined ? undefined : verifyStream(entries, head, sha256Hex);
      const chainFaults = verified?.ok === false ? [verified.error.message] : [];
      records.push({ name, entries, changes: changesIn(name, entries), chainFaults });
    }
    return records;
  } finally {
    await database.close();
  }
}

async function readStream(ledger: LedgerPort, stream: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (;;) {
    const page = await ledger.streamEntries({ stream, after: entries.at(-1)?.seq ?? 0n, limit: 1_000 });
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

function changesIn(workload: string, entries: readonly LedgerEntry[]): readonly RecordedChange[] {
  const changes: RecordedChange[] = [];
  const intents = new Map<string, UnmadeWrite>();
  let unmade: readonly UnmadeWrite[] = [];
  for (const entry of entries) {
    if (entry.kind === 'ScalingIntent') intents.set(entryId(entry), entry.payload);
    if (entry.kind === 'ScalingFailure' && entry.payload.code === 'Overtaken') {
      const intent = intents.get(entry.payload.intent);
      if (intent !== undefined) unmade = [...unmade, intent];
    }
    if (entry.kind !== 'ScalingEvent') continue;
    const { origin, manager, from, to } = entry.payload;
    const by = origin === 'Plimsoll' ? 'Plimsoll' : 'External';
    changes.push({ workload, origin: by, manager, from, to, unmade });
    unmade = [];
  }
  return changes;
}
