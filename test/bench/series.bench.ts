import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerDatabase, openLedgerDatabase, SqlSeriesStore } from '#adapter-sql';
import { decide, type DecideInput, type Decision, parseDecideInput } from '#decision';
import { type Fence, type RecordedChunk, SeriesRecorder, shardScope } from '#ledger';
import { startPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import type { Bench, BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

/** A day of passes of each, 15 s apart. */
const policyCount = Number(process.env['BENCH_SERIES'] ?? 20);
const passesPerDay = 5_760;
const podCount = 10;
const start = Date.parse('2026-11-20T00:00:00.000Z');
const valuesPerRow = 17;
const sweepSize = 10_000;

/** Metric series: what a pass and a sweep spend on them, what a value takes on disk, and how fast they are read back. */
export const seriesBench: Bench = {
  description: `a day of ${policyCount} policies with ${podCount} pods of two containers`,
  async *run() {
    yield measureRecording();
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
    try {
      yield* measureStore('sqlite', `sqlite:${join(folder, 'series.db')}`);
    } finally {
      await rm(folder, { recursive: true });
    }
    const server = await startPostgres();
    try {
      yield* measureStore('postgres', await server.createDatabase('series'));
    } finally {
      await server.stop();
    }
  },
};

/** A sweep of 10,000 policies, each with its rows of four minutes. */
function measureRecording(): BenchResult {
  const recorder = new SeriesRecorder();
  const load = new Load(new Random(1));
  const passes = Array.from({ length: 16 }, (_, pass) => load.pass(pass));
  globalThis.gc?.();
  const before = process.memoryUsage();
  const cpu = process.cpuUsage();
  for (const [input, decision] of passes) {
    for (let policy = 0; policy < sweepSize; policy += 1) {
      recorder.record(input, {
        ...decision,
        policy: { namespace: `team-${policy % 100}`, name: `p${policy}` },
      });
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const flushing = process.cpuUsage();
  const chunks = recorder.takeAll();
  const flushed = process.cpuUsage(flushing);
  return {
    case: 'recording',
    policies: sweepSize,
    cpuMillisecondsPerSweep: Math.round((user + system) / 1_000 / passes.length),
    budgetMilliseconds: 60,
    openMegabytes: Math.round(
      (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1e6,
    ),
    flushMicrosecondsPerChunk: Math.round((flushed.user + flushed.system) / chunks.length),
  };
}

async function* measureStore(dialect: string, url: string): AsyncGenerator<BenchResult> {
  const database = await openLedgerDatabase({ url });
  const named = (result: BenchResult): BenchResult => ({ ...result, database: dialect });
  try {
    const store = new SqlSeriesStore(database.sql);
    const fence = await takeFence(database.fences, shardScope(0));
    await storeDay(store, fence);
    yield named(await measureJoins(store, fence));
    yield named(await measureSize(database));
    yield named(await measureReads(store));
  } finally {
    await database.close();
  }
}

async function storeDay(store: SqlSeriesStore, fence: Fence): Promise<void> {
  for (let policy = 0; policy < policyCount; policy += 1) {
    const recorder = new SeriesRecorder();
    const load = new Load(new Random(policy));
    const chunks: RecordedChunk[] = [];
    for (let pass = 0; pass < passesPerDay; pass += 1) {
      const [input, decision] = load.pass(pass);
      recorder.record(input, { ...decision, policy: { namespace: 'team', name: `p${policy}` } });
      chunks.push(...recorder.takeDue(Date.parse(decision.time) + 1, 1));
    }
    await store.store([...chunks, ...recorder.takeAll()], [fence]);
  }
}

async function measureJoins(store: SqlSeriesStore, fence: Fence): Promise<BenchResult> {
  const cpu = process.cpuUsage();
  let hours = 0;
  for (let joined = 1; joined > 0; hours += joined)
    joined = await store.joinHours(start + 2 * 86_400_000, 24, fence);
  const { user, system } = process.cpuUsage(cpu);
  return { case: 'joining', hours, cpuMicrosecondsPerHour: Math.round((user + system) / hours) };
}

/** What the table takes with its indexes and its free space. */
async function measureSize({ sql }: LedgerDatabase): Promise<BenchResult> {
  const query =
    sql.dialect === 'sqlite'
      ? `SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name LIKE '%metric_series%'`
      : `SELECT pg_total_relation_size('metric_series') AS bytes`;
  const [row] = await sql.query({ sql: query });
  const [counted] = await sql.query({ sql: 'SELECT SUM(row_count) AS count FROM metric_series' });
  const rows = Number(counted?.['count']);
  const bytes = Number(row?.['bytes']);
  return {
    case: 'size',
    rows,
    bytesPerValue: Number((bytes / rows / valuesPerRow).toFixed(2)),
    budgetBytesPerValue: 4,
    bytesPerRow: Number((bytes / rows).toFixed(1)),
  };
}

async function measureReads(store: SqlSeriesStore): Promise<BenchResult> {
  let rows = 0;
  let checksum = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let policy = 0; policy < policyCount; policy += 1) {
    const query = {
      policy: { namespace: 'team', name: `p${policy}` },
      from: start,
      until: start + 86_400_000,
    };
    for await (const chunk of store.read(query)) {
      rows += chunk.rows;
      checksum += chunk.columns[1]?.[0] ?? 0;
    }
  }
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  if (rows !== policyCount * passesPerDay || checksum === 0) throw new Error(`${rows} rows were read back`);
  return {
    case: 'reading',
    rows,
    rowsPerSecond: Math.round(rows / seconds),
    rowsPerCpuSecond: Math.round(rows / ((user + system) / 1e6)),
    budgetRowsPerSecond: 1_000_000,
  };
}

/** A workload whose load goes up and down over the day, with noise in every sample. */
class Load {
  readonly #random: Random;
  readonly #input: DecideInput;

  constructor(random: Random) {
    this.#random = random;
    this.#input = anInput();
  }

  pass(number: number): [DecideInput, Decision] {
    const time = new Date(start + number * 15_000 + this.#random.below(40)).toISOString();
    const wave = 1 + Math.sin((number / passesPerDay) * 2 * Math.PI) / 2;
    const usageOf = (name: string, share: number): object => ({
      name,
      usage: { cpu: `${Math.round(wave * share * (900_000 + this.#random.below(200_000)))}n` },
    });
    const pods = Array.from({ length: podCount }, (_, pod) => ({
      pod: `web-${pod}`,
      timestamp: time,
      containers: [usageOf('app', 100), usageOf('proxy', 5)],
    }));
    const input = { ...this.#input, observation: { ...this.#input.observation, time, metrics: [{ pods }] } };
    return [input, decide(input).decision];
  }
}

function anInput(): DecideInput {
  const container = (name: string, cpu: string): object => ({ name, requests: { cpu } });
  const parsed = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'team' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 100 },
    },
    observation: {
      time: new Date(start).toISOString(),
      scale: { specReplicas: podCount, statusReplicas: podCount, selector: 'app=web' },
      pods: Array.from({ length: podCount }, (_, pod) => ({
        name: `web-${pod}`,
        phase: 'Running',
        startTime: new Date(start - 9_000_000).toISOString(),
        ready: { status: 'True', lastTransitionTime: new Date(start - 8_000_000).toISOString() },
        containers: [container('app', '200m'), container('proxy', '20m')],
      })),
    },
  });
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}
