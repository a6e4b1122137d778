import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import {
  type ChainEnd,
  type DraftOf,
  emptyEnd,
  type EntryQuery,
  LedgerWriter,
  maximumPageLimit,
  policyStream,
  shardScope,
  verifyEnd,
  verifyNext,
} from '#ledger';
import type { Bench, BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

/** How much is measured; the budgets are of 10 million entries. */
const entryCount = Number(process.env['PLIMSOLL_BENCH_ENTRIES'] ?? 1_000_000);
const policyCount = 10_000;
const batchSize = 5_000;
/** Drafts are made before the clock starts. */
const roundSize = 100_000;
/** The writer's thread stores one batch while this one chains the next. */
const batchesInFlight = 3;
const pageCount = 400;
const pageLimit = 100;
const tenMillionInThreeMinutes = 55_556;
const aStream = policyStream({ namespace: 'team-7', name: 'service-7' });

/** The ledger on SQLite: appends with their hash chain, pages at any depth, verification. */
export const ledgerBench: Bench = {
  description: `${entryCount.toLocaleString('en-US')} runs of ${policyCount.toLocaleString('en-US')} policies, SQLite`,
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
    const file = join(folder, 'ledger.db');
    const database = await openLedgerDatabase({ url: `sqlite:${file}` });
    try {
      yield await measureAppends(database);
      yield await measurePages(database, { name: 'page of all', filter: {} });
      yield await measurePages(database, { name: 'page of a policy', filter: { stream: aStream } });
      yield await measureVerification(database);
      yield {
        case: 'size',
        entries: entryCount,
        bytesPerEntry: Math.round((await stat(file)).size / entryCount),
      };
    } finally {
      await database.close();
      await rm(folder, { recursive: true });
    }
  },
};

/** The best of the rounds counts, as noise only ever adds; the mean shows how it holds while the file grows. */
async function measureAppends({ ledger, fences }: LedgerDatabase): Promise<BenchResult> {
  const fence = await takeFence(fences, shardScope(0));
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'bench' });
  const rates: number[] = [];
  for (let from = 0; from < entryCount; from += roundSize) {
    const size = Math.min(roundSize, entryCount - from);
    const drafts = Array.from({ length: size }, (_, index) => run(from + index));
    const started = performance.now();
    await appendAll(writer, drafts);
    rates.push((size / (performance.now() - started)) * 1_000);
  }
  const mean = rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
  return {
    case: 'append',
    entries: entryCount,
    perSecond: Math.round(Math.max(...rates)),
    meanPerSecond: Math.round(mean),
    budgetPerSecond: 50_000,
  };
}

async function appendAll(writer: LedgerWriter, drafts: readonly DraftOf<'DecisionRun'>[]): Promise<void> {
  const inFlight = new Set<Promise<unknown>>();
  for (let from = 0; from < drafts.length; from += batchSize) {
    const append = writer.append({ drafts: drafts.slice(from, from + batchSize) }).then((result) => {
      if (!result.ok) throw new Error(result.error.code);
      inFlight.delete(append);
    });
    inFlight.add(append);
    if (inFlight.size >= batchesInFlight) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
}

/** What most entries are: fifteen minutes of one policy without a change. */
function run(index: number): DraftOf<'DecisionRun'> {
  const policy = { namespace: `team-${index % 50}`, name: `service-${index % policyCount}` };
  const seconds = 1_700_000_000 + Math.floor(index / policyCount) * 900 + (index % policyCount) / policyCount;
  const time = new Date(seconds * 1_000).toISOString();
  return {
    stream: policyStream(policy),
    kind: 'DecisionRun',
    time,
    payload: {
      policy,
      first: new Date((seconds - 885) * 1_000).toISOString(),
      last: time,
      count: 60,
      action: 'None',
      desiredReplicas: 4,
      reason: 'cpu within tolerance of the target',
      metrics: [
        {
          type: 'Resource',
          name: 'cpu',
          proposedReplicas: { min: 4, max: 4 },
          current: {
            averageUtilization: { min: 55, max: 64 },
            averageValue: { min: `${55 + (index % 7)}m`, max: '64m' },
          },
        },
      ],
    },
  };
}

async function measurePages(
  { ledger }: LedgerDatabase,
  { name, filter }: { readonly name: string; readonly filter: Partial<EntryQuery> },
): Promise<BenchResult> {
  const newest: EntryQuery = { kinds: ['DecisionRun'], order: 'NewestFirst', limit: 1 };
  const [first] = (await ledger.entries(newest)).items;
  const [last] = (await ledger.entries({ ...newest, order: 'OldestFirst' })).items;
  if (first === undefined || last === undefined) throw new Error('the ledger is empty');
  const { timeNanoseconds, position } = first.cursor;
  const span = timeNanoseconds - last.cursor.timeNanoseconds;
  const times: number[] = [];
  for (let page = 0; page < pageCount; page += 1) {
    // Every depth once, in no order that the cache would like.
    const depth = (span * BigInt((page * 7_919) % pageCount)) / BigInt(pageCount);
    const after = { timeNanoseconds: timeNanoseconds - depth, position };
    const started = performance.now();
    await ledger.entries({ ...newest, ...filter, limit: pageLimit, after });
    times.push((performance.now() - started) * 1e6);
  }
  times.sort((a, b) => a - b);
  return {
    case: name,
    entries: entryCount,
    p50Ns: Math.round(times[Math.floor(pageCount / 2)] ?? 0),
    p99Ns: Math.round(times[Math.floor(pageCount * 0.99)] ?? 0),
    budgetP99Ns: 50_000_000,
  };
}

async function measureVerification({ ledger }: LedgerDatabase): Promise<BenchResult> {
  const started = performance.now();
  let entries = 0;
  const heads = await ledger.listHeads({ limit: maximumPageLimit });
  for (const head of heads) {
    let end: ChainEnd = emptyEnd(head.stream);
    for (;;) {
      const page = await ledger.streamEntries({
        stream: head.stream,
        after: end.seq,
        limit: maximumPageLimit,
      });
      for (const entry of page) {
        const next = verifyNext(end, entry);
        if (!next.ok) throw new Error(next.error.message);
        end = next.value;
      }
      entries += page.length;
      if (page.length < maximumPageLimit) break;
    }
    if (!verifyEnd(end, head).ok) throw new Error('the chain does not end in its head');
  }
  const perSecond = Math.round((entries / (performance.now() - started)) * 1_000);
  return { case: 'verify', entries, perSecond, budgetPerSecond: tenMillionInThreeMinutes };
}
