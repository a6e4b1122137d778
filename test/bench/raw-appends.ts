import Database from 'better-sqlite3';
import { openLedgerDatabase } from '#adapter-sql';
import { type ChainedEntry, chainEntries, type StreamHead } from '#ledger';
import type { BenchResult } from './bench.ts';
import { entryCount, run } from './ledger-drafts.ts';

/** Larger ledgers are measured no further. */
const maximumEntries = 1_000_000;

/** As the controller has it. */
const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'wal_autocheckpoint = 32768',
  'cache_size = -16384',
];

/**
 * What SQLite takes by itself for the same rows, indexes and transactions: on one thread, with no hashing, and with nothing
 * that goes from one thread to another.
 *
 * @param url of a SQLite file that does not exist
 */
export async function measureRawAppends(
  url: string,
  { roundSize, batchSize }: { readonly roundSize: number; readonly batchSize: number },
): Promise<BenchResult> {
  await (await openLedgerDatabase({ url })).close();
  const database = new Database(url.replace(/^sqlite:/, ''));
  for (const pragma of pragmas) database.pragma(pragma);
  const append = appendTo(database);
  const entries = Math.min(entryCount, maximumEntries);
  const heads = new Map<string, StreamHead>();
  const rates: number[] = [];
  for (let from = 0; from < entries; from += roundSize) {
    const batches: (readonly ChainedEntry[])[] = [];
    for (let first = from; first < from + roundSize; first += batchSize) {
      const drafts = Array.from({ length: batchSize }, (_, index) => run(first + index));
      const chained = chainEntries({ cluster: 'bench', heads, drafts });
      if (!chained.ok) throw new Error(chained.error.message);
      for (const [stream, head] of chained.value.heads) heads.set(stream, head);
      batches.push(chained.value.entries.toSorted((a, b) => (a.stream < b.stream ? -1 : 1)));
    }
    const started = performance.now();
    for (const batch of batches) append(batch);
    rates.push((roundSize / (performance.now() - started)) * 1_000);
  }
  database.close();
  const mean = rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
  return {
    case: 'append, SQLite by itself',
    entries,
    perSecond: Math.round(Math.max(...rates)),
    meanPerSecond: Math.round(mean),
  };
}

function appendTo(database: Database.Database): (entries: readonly ChainedEntry[]) => void {
  const begin = database.prepare<[string, bigint, string]>(
    'INSERT INTO stream_head (stream, seq, hash) VALUES (?, ?, ?)',
  );
  const move = database.prepare<[bigint, string, number | bigint]>(
    'UPDATE stream_head SET seq = ?, hash = ? WHERE id = ?',
  );
  const insert =
    database.prepare(`INSERT INTO ledger_entry (format, seq, cluster, kind, time, time_nanoseconds, payload,
      previous_hash, hash, namespace_id, stream_id)
    VALUES (2, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`);
  const ids = new Map<string, number | bigint>();
  return database.transaction((entries: readonly ChainedEntry[]) => {
    for (const { stream, seq, hash, ...entry } of entries) {
      const known = ids.get(stream);
      const id = known ?? begin.run(stream, seq, hash).lastInsertRowid;
      if (known === undefined) ids.set(stream, id);
      else move.run(seq, hash, id);
      const { cluster, kind, time, timeNanoseconds, payloadText, previousHash } = entry;
      insert.run(seq, cluster, kind, time, timeNanoseconds, payloadText, previousHash, hash, id);
    }
  });
}
