import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerReader, openLedgerDatabase } from '#adapter-sql';
import {
  genesisHash,
  LedgerWriter,
  policyStream,
  readSnapshot,
  shardScope,
  type UnverifiedEntry,
} from '#ledger';
import {
  databaseSource,
  parsePeriod,
  type ReportFormat,
  reportFormats,
  type ReportSource,
  writeReport,
} from '#report';
import { anEventDraft, appended } from '../support/ledger-builders.ts';
import type { Bench, BenchResult } from './bench.ts';
import { measureDeviation } from './loop-deviation.ts';
import { takeFence } from './take-fence.ts';

const policyCount = Number(process.env['BENCH_POLICIES'] ?? 10_000);
/** Rows of each policy, spread over the year. */
const eventsPerPolicy = Number(process.env['BENCH_EVENTS'] ?? 100);
/** What is read from a database, verification included. */
const storedEntries = 200_000;
/** How often the memory is looked at. */
const portionsPerLook = 20;
const minimumPerCpuSecond = 100_000;
const yearMilliseconds = 365 * 86_400_000;

const parsed = parsePeriod({ from: '2026-01-01', until: '2027-01-01', timeZone: 'Europe/Berlin' });
if (!parsed.ok) throw new Error(parsed.error);
const filter = { namespaces: null, policies: null, teams: null, teamLabel: 'team', visibleNamespaces: null };
const request = { period: parsed.value, filter, price: { micros: 45_000n, text: '0.045', currency: 'EUR' } };

/** A report of a year, each form of it, from generated entries and from a database. */
export const reportBench: Bench = {
  description: `a year's report of ${policyCount.toLocaleString('en-US')} policies, ${eventsPerPolicy} rows each`,
  async *run() {
    for (const format of reportFormats) {
      yield await measure(`${format}, entries in memory`, {
        rows: policyCount * eventsPerPolicy,
        format,
        source: generated(),
      });
    }
    yield* fromDatabase();
  },
};

async function* fromDatabase(): AsyncIterable<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  try {
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    await fill(url);
    const reader = await LedgerReader.open(url, 'command');
    const everything = { from: null, until: null, namespaces: null, policies: null, kinds: null };
    const snapshot = await readSnapshot(reader, everything);
    if (snapshot === null) throw new Error('there is no snapshot');
    const source = databaseSource(reader, snapshot, { filter, madeAt: '2027-01-01T00:00:00Z' });
    yield await measure('csv, read from SQLite and verified', { rows: storedEntries, format: 'csv', source });
    await reader.close();
    yield await measureDeviation(url, { request, seconds: 30 });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fill(url: string): Promise<void> {
  const database = await openLedgerDatabase({ url });
  const fence = await takeFence(database.fences, shardScope(0));
  const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench' });
  for (let start = 0; start < storedEntries; start += 1_000) {
    const drafts = Array.from({ length: 1_000 }, (_, at) => {
      const index = start + at;
      const policy = { namespace: `team-${index % 10}`, name: `service-${index % 1_000}` };
      return anEventDraft({ policy, to: index % 100 }, new Date(timeOf(index / storedEntries)).toISOString());
    });
    appended(await writer.append({ drafts }));
  }
  await database.close();
}

/** Within the year. */
function timeOf(share: number): number {
  return Date.parse('2026-01-02T00:00:00Z') + Math.floor(share * (yearMilliseconds - 3 * 86_400_000));
}

function generated(): ReportSource {
  return {
    streams: [],
    about: { madeAt: '2027-01-01T00:00:00Z', readFrom: 'generated entries', heads: [], checkpoint: null },
    entries: entries(),
    verification: () => Promise.resolve({ status: 'Consistent', fault: null }),
  };
}

async function* entries(): AsyncGenerator<readonly UnverifiedEntry[]> {
  for (let index = 0; index < policyCount; index += 1) {
    const stream = policyStream({ namespace: `team-${index % 100}`, name: `service-${index}` });
    yield await Promise.resolve(Array.from({ length: eventsPerPolicy }, (_, at) => anEvent(stream, at)));
  }
}

const commit = {
  hash: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
  author: 'Ada',
  subject: 'Scale',
  time: '',
};

function anEvent(stream: string, at: number): UnverifiedEntry {
  const payload = {
    origin: 'Plimsoll',
    manager: null,
    from: at % 9,
    to: (at % 9) + 1,
    reason: 'cpu above target',
    commit,
  };
  return {
    ...{
      format: 2,
      stream,
      seq: BigInt(at + 1),
      cluster: 'bench',
      previousHash: genesisHash,
      hash: genesisHash,
    },
    kind: 'ScalingEvent',
    time: new Date(timeOf(at / eventsPerPolicy)).toISOString(),
    payloadText: JSON.stringify(payload),
  };
}

interface MeasuredReport {
  readonly rows: number;
  readonly format: ReportFormat;
  readonly source: ReportSource;
}

async function measure(name: string, { rows, format, source }: MeasuredReport): Promise<BenchResult> {
  let peak = 0;
  let bytes = 0;
  let portions = 0;
  const cpu = process.cpuUsage();
  for await (const text of writeReport(request, source, format)) {
    bytes += text.length;
    // Asking the system takes longer than a small portion.
    if (portions++ % portionsPerLook === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  return {
    case: name,
    rows,
    cpuSeconds,
    perCpuSecond: rows / cpuSeconds,
    bytes,
    peakBytes: peak,
    minimumPerCpuSecond,
  };
}
