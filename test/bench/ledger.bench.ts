import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type LedgerDatabase, openLedgerDatabase, SqlCheckpoints } from '#adapter-sql';
import {
  administrationScope,
  type ChainEnd,
  type DecisionPayload,
  type DraftOf,
  emptyEnd,
  entryKinds,
  type EntryQuery,
  exportedHead,
  type Fence,
  LedgerWriter,
  maximumPageLimit,
  merkleLeaf,
  MerkleRoot,
  policyStream,
  sha256Bytes,
  sha256Hex,
  shardScope,
  verifyEnd,
  verifyNext,
} from '#ledger';
import { appended } from '../support/ledger-builders.ts';
import { startPostgres } from '../support/postgres.ts';
import type { Bench, BenchResult } from './bench.ts';
import { decision, entryCount, events, months, policyCount, run, runsPerEvent } from './ledger-drafts.ts';
import { takeFence } from './take-fence.ts';

const batchSize = 5_000;
/** Drafts are made before the clock starts. */
const roundSize = 100_000;
/** The writer's thread stores one batch while this one chains the next. */
const batchesInFlight = 3;
const pageCount = 400;
const pageLimit = 100;
const tenMillionInThreeMinutes = 55_556;
const aStream = policyStream({ namespace: 'team-7', name: 'service-7' });

/** A checkpoint comes after so many entries; at the rates here that is more often than it ever is. */
const entriesPerCheckpoint = 500_000;
/** Each recorded stream is appended under so many names, so that whole pages are filled. */
const copiesOfStreams = 100;

/** The ledger on SQLite and PostgreSQL: appends with hash chain and checkpoints, pages at any depth, verification, size. */
export const ledgerBench: Bench = {
  description: `${entryCount.toLocaleString('en-US')} runs of ${policyCount.toLocaleString('en-US')} policies`,
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
    try {
      yield* measureDatabase('sqlite', (name) => Promise.resolve(`sqlite:${join(folder, `${name}.db`)}`));
    } finally {
      await rm(folder, { recursive: true });
    }
    const server = await startPostgres();
    try {
      yield* measureDatabase('postgres', (name) => server.createDatabase(name));
    } finally {
      await server.stop();
    }
  },
};

async function* measureDatabase(
  dialect: string,
  urlOf: (name: string) => Promise<string>,
): AsyncGenerator<BenchResult> {
  const named = (result: BenchResult): BenchResult => ({ ...result, database: dialect });
  for (const pods of [10, 100]) yield named(await measureDecisions(await urlOf(`decisions${pods}`), pods));
  const url = await urlOf('ledger');
  let database = await openLedgerDatabase({ url });
  try {
    await makePartitions(database);
    yield named(await measureAppends(database));
    await appendEvents(database);
    yield named(await measurePages(database, { name: 'page of all', filter: {} }));
    yield named(await measurePages(database, { name: 'page of a policy', filter: { stream: aStream } }));
    for (const [name, namespaces] of [
      ['page of a namespace', ['team-7']],
      ['page of namespaces by pattern', ['team-1*']],
    ] as const)
      yield named(await measurePages(database, { name, filter: { namespaces } }));
    yield named(
      await measurePages(database, {
        name: 'page of a namespace, all kinds',
        filter: { namespaces: ['team-7'], kinds: entryKinds },
      }),
    );
    for (const [name, filter] of [
      ['page of scaling events', { kinds: ['ScalingEvent'] }],
      ['page of all kinds', { kinds: entryKinds }],
      ['page of a commit', { kinds: entryKinds, commit: 'commit-7' }],
      ['page of an actor', { kinds: ['OperatorAction'], actor: 'actor-7' }],
    ] as const)
      yield named(await measurePages(database, { name, filter }));
    yield named(await measureVerification(database));
    const bytes = await sizeOf(database);
    yield named({ case: 'size', entries: entryCount, bytesPerEntry: Math.round(bytes / entryCount) });
    await database.close();
    const started = performance.now();
    database = await openLedgerDatabase({ url });
    await database.ledger.policyStates({ limit: maximumPageLimit });
    const milliseconds = Math.round(performance.now() - started);
    yield named({ case: 'start', entries: entryCount, milliseconds, budgetMilliseconds: 3_000 });
  } finally {
    await database.close();
  }
}

/** What the database's files take: rows, indexes and free space in pages alike. */
async function sizeOf({ sql }: LedgerDatabase): Promise<number> {
  const query =
    sql.dialect === 'sqlite'
      ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
      : `SELECT SUM(pg_total_relation_size(relid))::bigint AS bytes FROM pg_partition_tree('ledger_entry')`;
  const [row] = await sql.query({ sql: query });
  return Number(row?.['bytes']);
}

/** Decisions as the demo recorded them, over 8 to 12 pods or over 90 to 130, oldest first in each stream. */
async function recordedDecisions(pods: number): Promise<readonly (readonly DecisionPayload[])[]> {
  const file = join(import.meta.dirname, 'recorded-decisions.ndjson.zst');
  const payloads = zstdDecompressSync(await readFile(file))
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionPayload)
    .filter(({ input }) => (input.observation.pods?.length ?? 0) > 50 === pods > 50);
  const streams = Map.groupBy(payloads, ({ policy }) => policyStream(policy));
  return [...streams.values()];
}

/** What a decision takes on disk with everything that belongs to it, and how many are appended per second. */
async function measureDecisions(url: string, pods: number): Promise<BenchResult> {
  const streams = await recordedDecisions(pods);
  const database = await openLedgerDatabase({ url });
  try {
    const fence = await takeFence(database.fences, shardScope(0));
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench' });
    const drafts = Array.from({ length: copiesOfStreams }, (_, copy) =>
      streams.flatMap((payloads, index) => payloads.map((payload) => decision(payload, `${index}-${copy}`))),
    );
    const before = await sizeOf(database);
    const count = drafts.reduce((sum, { length }) => sum + length, 0);
    const started = performance.now();
    for (const some of drafts) {
      const appended = await writer.append({ drafts: some });
      if (!appended.ok) throw new Error(appended.error.code);
    }
    const perSecond = Math.round((count / (performance.now() - started)) * 1_000);
    const bytes = (await sizeOf(database)) - before;
    return {
      case: `decisions over ${pods} pods`,
      entries: count,
      jsonBytes: Math.round(
        drafts.flat().reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0) / count,
      ),
      bytesOnDisk: Math.round(bytes / count),
      budgetBytesOnDisk: pods > 50 ? 4_000 : 1_000,
      perSecond,
    };
  } finally {
    await database.close();
  }
}

/** The best of the rounds counts, as noise only ever adds; the mean shows how it holds while the file grows. */
async function measureAppends({ ledger, fences, sql }: LedgerDatabase): Promise<BenchResult> {
  const fence = await takeFence(fences, shardScope(0));
  const checkpoints = new SqlCheckpoints(sql);
  const administration = await takeFence(fences, administrationScope);
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'bench' });
  const rates: number[] = [];
  for (let from = 0; from < entryCount; from += roundSize) {
    const size = Math.min(roundSize, entryCount - from);
    const drafts = Array.from({ length: size }, (_, index) => run(from + index));
    const started = performance.now();
    const isSealed =
      Math.floor((from + size) / entriesPerCheckpoint) > Math.floor(from / entriesPerCheckpoint);
    await Promise.all([appendAll(writer, drafts), isSealed && sealHeads(checkpoints, administration)]);
    rates.push((size / (performance.now() - started)) * 1_000);
  }
  const mean = rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
  return {
    case: 'append',
    entries: entryCount,
    perSecond: Math.round(Math.max(...rates)),
    meanPerSecond: Math.round(mean),
    budgetPerSecond: sql.dialect === 'sqlite' ? 50_000 : 20_000,
  };
}

/** As the controller does, but for three years. */
async function makePartitions({ sql }: LedgerDatabase): Promise<void> {
  if (sql.dialect === 'sqlite') return;
  for (let month = 1; month <= months; month += 1) {
    const first = `date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + interval '${month} months'`;
    await sql.transaction([{ sql: `SELECT make_ledger_partition((${first}) AT TIME ZONE 'UTC')` }]);
  }
}

/** What lists find by commit and by actor, over the same period; not part of the rate of appends. */
async function appendEvents({ ledger, fences }: LedgerDatabase): Promise<void> {
  const fence = await takeFence(fences, shardScope(1));
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'bench' });
  for (let from = 0; from < entryCount; from += batchSize * runsPerEvent) {
    const size = Math.min(batchSize, Math.floor((entryCount - from) / runsPerEvent));
    const drafts = Array.from({ length: size }, (_, at) => events(from + at * runsPerEvent)).flat();
    for (let start = 0; start < drafts.length; start += batchSize)
      appended(await writer.append({ drafts: drafts.slice(start, start + batchSize) }));
  }
}

/** What a checkpoint costs the database: its heads are written and read again. Its signature is a moment's work. */
async function sealHeads(checkpoints: SqlCheckpoints, fence: Fence): Promise<void> {
  await checkpoints.seal(fence);
  const tree = new MerkleRoot(sha256Bytes);
  for (let after = ''; ;) {
    const heads = await checkpoints.sealedHeads({ after, limit: maximumPageLimit });
    for (const head of heads) tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
    after = heads.at(-1)?.stream ?? '';
    if (heads.length < maximumPageLimit) return;
  }
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
        const next = verifyNext(end, entry, sha256Hex);
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
