import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerDatabase, openLedgerDatabase, SqlCheckpoints } from '#adapter-sql';
import {
  administrationScope,
  type ChainEnd,
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
import { ledgerBytes, maximumDecisionBytes, storeDecisions } from '../support/decision-sizes.ts';
import { appended } from '../support/ledger-builders.ts';
import { startPostgres } from '../support/postgres.ts';
import type { Bench, BenchResult } from './bench.ts';
import { entryCount, events, months, policyCount, run, runsPerEvent } from './ledger-drafts.ts';
import { measureRawAppends } from './raw-appends.ts';
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
  description: `${entryCount.toLocaleString('en-US')} runs of ${policyCount.toLocaleString('en-US')} policies (--cases sqlite,postgres)`,
  async *run({ cases = 'sqlite,postgres' }) {
    if (cases.includes('sqlite')) yield* measureSqlite();
    if (cases.includes('postgres')) yield* measurePostgres();
  },
};

async function* measureSqlite(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  try {
    yield* measureDatabase('sqlite', (name) => Promise.resolve(`sqlite:${join(folder, `${name}.db`)}`));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* measurePostgres(): AsyncGenerator<BenchResult> {
  const server = await startPostgres();
  try {
    yield* measureDatabase('postgres', (name) => server.createDatabase(name));
  } finally {
    await server.stop();
  }
}

async function* measureDatabase(
  dialect: string,
  urlOf: (name: string) => Promise<string>,
): AsyncGenerator<BenchResult> {
  const named = (result: BenchResult): BenchResult => ({ ...result, database: dialect });
  for (const pods of [10, 100] as const)
    yield named(await measureDecisions(await urlOf(`decisions${pods}`), pods));
  const url = await urlOf('ledger');
  let database = await openLedgerDatabase({ url });
  try {
    await makePartitions(database);
    yield named(await measureAppends(database));
    if (dialect === 'sqlite')
      yield named(await measureRawAppends(await urlOf('raw'), { roundSize, batchSize }));
    await appendEvents(database);
    for (const [name, filter] of Object.entries(pages))
      yield named(await measurePages(database, { name, filter }));
    yield named(await measureVerification(database));
    const bytes = await ledgerBytes(database);
    yield named({ case: 'size', entries: entryCount, bytesPerEntry: Math.round(bytes / entryCount) });
    await database.close();
    const started = performance.now();
    database = await openLedgerDatabase({ url });
    await database.ledger.recordedPolicies({ limit: maximumPageLimit });
    const milliseconds = Math.round(performance.now() - started);
    yield named({ case: 'start', entries: entryCount, milliseconds, budgetMilliseconds: 3_000 });
  } finally {
    await database.close();
  }
}

const decisions = { kinds: ['Decision'] } as const;
const team = { namespaces: ['team-7'] };

/** What pages are of: runs, where nothing else is said. */
const pages: Readonly<Record<string, Partial<EntryQuery>>> = {
  'page of all': {},
  'page of a policy': { stream: aStream },
  'page of a namespace': team,
  'page of namespaces by pattern': { namespaces: ['team-1*'] },
  'page of a namespace, all kinds': { ...team, kinds: entryKinds },
  'page of scaling events': { kinds: ['ScalingEvent'] },
  'page of all kinds': { kinds: entryKinds },
  'page of a commit': { kinds: entryKinds, commit: 'commit-7' },
  'page of an actor': { kinds: ['OperatorAction'], actor: 'actor-7' },
  'page of decisions': decisions,
  'page of decisions with an action': { ...decisions, action: 'Hold' },
  "page of a policy's decisions": { ...decisions, stream: aStream },
  "page of a policy's decisions with an action": { ...decisions, stream: aStream, action: 'Hold' },
  "page of a namespace's decisions": { ...decisions, ...team },
  "page of a commit's decisions": { ...decisions, commit: 'commit-7' },
};

/** What a decision takes on disk with everything that belongs to it, and how many are appended per second. */
async function measureDecisions(url: string, pods: 10 | 100): Promise<BenchResult> {
  return {
    case: `decisions over ${pods} pods`,
    ...(await storeDecisions(url, { pods, copies: copiesOfStreams })),
    budgetBytesOnDisk: maximumDecisionBytes[pods],
  };
}

/** The best of the rounds counts, as noise only ever adds; the mean shows how it holds while the file grows. */
async function measureAppends({ ledger, fences, sql }: LedgerDatabase): Promise<BenchResult> {
  const fence = await takeFence(fences, shardScope(0));
  const checkpoints = new SqlCheckpoints(sql);
  const administration = await takeFence(fences, administrationScope);
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'bench' });
  const rates: number[] = [];
  let cpuMicroseconds = 0;
  for (let from = 0; from < entryCount; from += roundSize) {
    const size = Math.min(roundSize, entryCount - from);
    const drafts = Array.from({ length: size }, (_, index) => run(from + index));
    const isSealed =
      Math.floor((from + size) / entriesPerCheckpoint) > Math.floor(from / entriesPerCheckpoint);
    const [started, used] = [performance.now(), process.cpuUsage()];
    await Promise.all([appendAll(writer, drafts), isSealed && sealHeads(checkpoints, administration)]);
    const { user, system } = process.cpuUsage(used);
    cpuMicroseconds += user + system;
    rates.push((size / (performance.now() - started)) * 1_000);
  }
  const mean = rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
  return {
    case: 'append',
    entries: entryCount,
    perSecond: Math.round(Math.max(...rates)),
    meanPerSecond: Math.round(mean),
    cpuNsPerEntry: Math.round((cpuMicroseconds * 1_000) / entryCount),
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
    const heads = await checkpoints.nextHeads({ after, limit: maximumPageLimit });
    for (const head of heads) tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
    after = heads.at(-1)?.stream ?? '';
    if (heads.length < maximumPageLimit) break;
  }
  await checkpoints.saveNote('note', fence);
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

async function measureVerification({ ledger, sql }: LedgerDatabase): Promise<BenchResult> {
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
  // The budget is of verifying; PostgreSQL takes longer to give the entries of a stream than verifying them takes. What is
  // verified there is an export (bench `audit`).
  const budget = sql.dialect === 'sqlite' ? { budgetPerSecond: tenMillionInThreeMinutes } : {};
  return { case: 'verify', entries, perSecond, ...budget };
}
