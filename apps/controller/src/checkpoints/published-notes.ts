import {
  adminStream,
  type EntryCursor,
  isSignedWith,
  type LedgerEntry,
  type LedgerGapPayload,
  type LedgerPort,
  maximumPageLimit,
  parseCheckpointNote,
  type SigningKey,
} from '#ledger';
import type { LastNotes } from './checkpoint-publisher.ts';
import { Equivocation } from './equivocation.ts';
import type { RecordedCheckpoint } from './recorded-checkpoints.ts';
import type { StatedCheckpoint } from './stated-checkpoint.ts';

/** A note of this ledger that a sink has. */
export interface PublishedNote {
  readonly sink: string;
  readonly number: bigint;
  readonly note: string;
}

export interface Comparison {
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly last: RecordedCheckpoint | null;
  readonly published: readonly PublishedNote[];
  /** When the backup was made that the database was restored from; `null`: it was not. */
  readonly backup: string | null;
}

/**
 * Compares what sinks have with the ledger. A ledger that has gone back would sign numbers again that are known outside:
 * two histories of one ledger. Of a restored one it is known why, so it goes on after the last number that is known.
 *
 * @returns what has to be recorded before the next checkpoint; `null`: nothing
 * @throws Equivocation where the ledger has another note of a number, or none without having been restored
 */
export async function compareWithPublished(comparison: Comparison): Promise<LedgerGapPayload | null> {
  const { ledger, last, published, backup } = comparison;
  const restored = last?.number ?? 0n;
  const lost = backup === null ? [] : published.filter(({ number }) => number > restored);
  for (const each of published) if (!lost.includes(each)) await requireNote(each, { ledger, last });
  const newest = newestOf(lost);
  if (newest === null || backup === null) return null;
  return { number: String(newest.number), note: newest.note, restored: String(restored), backup };
}

/** The notes of a ledger among those of sinks: signed with its key, and with another. */
export function notesOf(
  notes: LastNotes['notes'],
  { origin, publicKey }: { readonly origin: string; readonly publicKey: SigningKey['publicKey'] },
): { readonly signed: readonly PublishedNote[]; readonly unsigned: readonly PublishedNote[] } {
  const signed: PublishedNote[] = [];
  const unsigned: PublishedNote[] = [];
  for (const { sink, note } of notes) {
    const parsed = parseCheckpointNote(note);
    if (parsed?.body.origin !== origin) continue;
    (isSignedWith(parsed, publicKey) ? signed : unsigned).push({ sink, note, number: parsed.body.number });
  }
  return { signed, unsigned };
}

/** Why it is not known what was published after a backup; empty: it is. */
export function unknownReasons(
  unsigned: readonly PublishedNote[],
  unread: readonly string[],
): readonly string[] {
  const sinks = [...unread].sort().join(', ');
  return [
    ...(unread.length === 0 ? [] : [`these sinks cannot be read: ${sinks}`]),
    ...unsigned.map(
      ({ sink, number }) =>
        `the sink "${sink}" has checkpoint ${number}, which is not signed with the present key`,
    ),
  ];
}

/** What an operator says counts as the note of a sink. */
export function statedNote({ note }: StatedCheckpoint): readonly PublishedNote[] {
  const number = note === null ? undefined : parseCheckpointNote(note)?.body.number;
  return note === null || number === undefined ? [] : [{ sink: 'last-checkpoint.note', note, number }];
}

/** @throws Equivocation where two sinks contradict each other */
function newestOf(published: readonly PublishedNote[]): PublishedNote | null {
  const [newest, ...others] = [...published].sort((one, other) => Number(other.number - one.number));
  if (newest === undefined) return null;
  for (const each of others) {
    if (each.number === newest.number && each.note !== newest.note)
      throw equivocation(each, `has\n${newest.note}`, `sink "${newest.sink}"`);
  }
  return newest;
}

/**
 * Compares the last checkpoint that a process has made with the last that the ledger has now: a standby may have taken over
 * that had not got it, and its number would be signed again.
 *
 * @throws Equivocation where the ledger ends before it, or has another note of its number
 */
export function requireMade(
  made: { readonly number: bigint; readonly note: string },
  last: RecordedCheckpoint | null,
): void {
  if (last !== null && (last.number > made.number || last.note === made.note)) return;
  const found = last === null ? 'has none' : `has as its last\n${last.note}`;
  throw new Equivocation(
    `this process has signed\n${made.note}\nand the ledger ${found}`,
    `this process has signed checkpoint ${made.number}, which the ledger does not have`,
  );
}

type Recorded = Pick<Comparison, 'ledger' | 'last'>;

/** @throws Equivocation where the ledger has another note of that number, or none */
async function requireNote(published: PublishedNote, recorded: Recorded): Promise<void> {
  const here = await noteOf(published.number, recorded);
  if (here === published.note || here === 'Lost') return;
  const last = recorded.last?.note ?? 'no checkpoint';
  throw equivocation(published, here === null ? `ends before it, at\n${last}` : `has\n${here}`, 'ledger');
}

function equivocation({ sink, number, note }: PublishedNote, found: string, where: string): Error {
  return new Equivocation(
    `the sink "${sink}" has\n${note}\nand the ${where} ${found}`,
    `the sink "${sink}" has a checkpoint ${number}, and the ${where} another one, or none`,
  );
}

/** Checkpoints are looked back for through so many pages: those of some ten weeks. */
const maximumComparedPages = 100;

/**
 * The note that the ledger has under a number: `null` where it ends before it, or has it too far back; `Lost` where a
 * restore has lost it.
 */
async function noteOf(number: bigint, { ledger, last }: Recorded): Promise<string | null> {
  if (last === null || number > last.number) return null;
  let after: EntryCursor | undefined;
  for (let page = 0; page < maximumComparedPages; page += 1) {
    const { items, hasMore } = await ledger.entries({
      kinds: ['Checkpoint', 'LedgerGap'],
      stream: adminStream,
      order: 'NewestFirst',
      limit: maximumPageLimit,
      ...(after === undefined ? {} : { after }),
    });
    for (const { entry, cursor } of items) {
      after = cursor;
      const found = noteIn(entry, number);
      if (found !== null) return found;
    }
    if (!hasMore) break;
  }
  return null;
}

function noteIn(entry: LedgerEntry, number: bigint): string | null {
  if (entry.kind !== 'Checkpoint' && entry.kind !== 'LedgerGap') return null;
  if (entry.payload.number === String(number)) return entry.payload.note;
  if (entry.kind === 'Checkpoint') return null;
  const { restored, number: end } = entry.payload;
  return BigInt(restored) < number && number < BigInt(end) ? 'Lost' : null;
}
