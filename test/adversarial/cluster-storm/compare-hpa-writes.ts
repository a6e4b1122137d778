import { entryId, type LedgerEntry } from '#ledger';
import type { HpaWrite } from './audit-record.ts';

/** A write of an HPA, as the ledger has it. */
export interface RecordedHpaWrite {
  readonly verb: HpaWrite['verb'];
  /** `Made`, `NotMade`, or `Unknown`: it may have been made and undone; `Open`: there is no outcome. */
  readonly outcome: 'Made' | 'NotMade' | 'Unknown' | 'Open';
  /** Of the HPA after it, where it was made. */
  readonly resourceVersion: string | null;
}

/** The writes of a policy's HPA that its stream announces, in their order. */
export function recordedHpaWrites(entries: readonly LedgerEntry[]): readonly RecordedHpaWrite[] {
  const outcomes = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'ActuationOutcome' ? [[entry.payload.intent, entry.payload]] : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (entry.kind !== 'ActuationIntent') return [];
    const { verb } = entry.payload;
    const outcome = outcomes.get(entryId(entry));
    const isMade = outcome?.result === 'Applied';
    const isUnknown = outcome?.code === 'Overtaken';
    return [
      {
        verb: verb === 'Adopt' ? ('Update' as const) : verb,
        outcome: outcome === undefined ? 'Open' : isMade ? 'Made' : isUnknown ? 'Unknown' : 'NotMade',
        resourceVersion: isMade ? outcome.resourceVersionAfter : null,
      },
    ];
  });
}

/**
 * Holds the ledger against the API server's own record of the writes of one HPA that Plimsoll made, both in their order:
 * each write has one intent, and an outcome that does not deny it. A deletion that others were quicker with is `Made`,
 * too, and what is found again after others edited it has the version of their edit.
 *
 * @returns sentences; none: the records agree
 */
export function compareHpaWrites(
  writes: readonly HpaWrite[],
  recorded: readonly RecordedHpaWrite[],
): readonly string[] {
  const open = recorded.filter(({ outcome }) => outcome === 'Open').length;
  const unresolved = open === 0 ? [] : [`${open} intents have no outcome`];
  // How many of the writes the records up to here may stand for.
  let reached = new Set([0]);
  for (const [index, record] of recorded.entries()) {
    const next = new Set<number>();
    for (const taken of reached) {
      const write = writes[taken];
      if (mayBeUnmade(record)) next.add(taken);
      if (write !== undefined && isRecordOf(record, write)) next.add(taken + 1);
    }
    if (next.size === 0) {
      return [
        ...unresolved,
        `no write for #${index} ${describe(record)}; there: ${describeFrom(writes, reached)}`,
      ];
    }
    reached = next;
  }
  if (reached.has(writes.length)) return unresolved;
  return [...unresolved, `writes without a record: ${describeFrom(writes, reached)}`];
}

function mayBeUnmade({ outcome, verb }: RecordedHpaWrite): boolean {
  return outcome !== 'Made' || verb === 'Delete';
}

function isRecordOf({ verb, outcome, resourceVersion }: RecordedHpaWrite, write: HpaWrite): boolean {
  if (outcome === 'NotMade' || verb !== write.verb) return false;
  return resourceVersion === null || Number(resourceVersion) >= Number(write.resourceVersion);
}

function describe({ verb, outcome, resourceVersion }: RecordedHpaWrite): string {
  return `${verb} → ${outcome} ${resourceVersion ?? ''}`;
}

function describeFrom(writes: readonly HpaWrite[], reached: ReadonlySet<number>): string {
  const from = Math.max(...reached);
  const rest = writes.slice(from, from + 6).map(({ verb, resourceVersion }) => `${verb} ${resourceVersion}`);
  return rest.length === 0 ? 'nothing' : `#${from} ${rest.join(', ')}`;
}
