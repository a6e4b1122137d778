import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOptions, BenchResult } from '../bench.ts';
import { SoakedController } from './soaked-controller.ts';

const defaultDays = 30;
/** The policies' interval, too. */
const sweepSeconds = 300;
const sweepsPerDay = 86_400 / sweepSeconds;
/** The second quarter of them is the start, and the last the end: the first fills caches and compiles code. */
const samples = 40;
/** How often a policy leaves with its target, and another comes under a new name. */
const sweepsPerReplacement = 12;
const sweepsPerScrape = 6;
const sweepsPerCompaction = 36;

/**
 * Weeks in minutes: the reconciler, the adapters and SQLite against a simulated cluster in another process, whose clock
 * is moved, with a load that rises and falls every day, pods that come and go, and policies that do.
 */
export const soakBench: Bench = {
  description: `memory over ${defaultDays} simulated days, a sweep per ${sweepSeconds / 60} minutes, policies and pods that come and go (--days N)`,
  run: measure,
};

/** What is as large as it was, or has grown. */
interface Sample {
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly series: number;
}

async function* measure({ days }: BenchOptions): AsyncIterable<BenchResult> {
  const sweeps = Math.max(samples, Math.round(daysOf(days) * sweepsPerDay));
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const controller = await SoakedController.start(folder);
  const taken: Sample[] = [];
  try {
    for (let sweep = 1; sweep <= sweeps; sweep += 1) {
      if (sweep % sweepsPerReplacement === 0) await controller.replacePolicy();
      await controller.sweep(sweepSeconds);
      if (sweep % sweepsPerScrape === 0) await controller.scrape();
      if (sweep % sweepsPerCompaction === 0) await controller.compact();
      if (sweep % Math.floor(sweeps / samples) === 0) taken.push(await sample(controller));
    }
  } finally {
    await controller.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const quarter = Math.floor(taken.length / 4);
  const [start, end] = [taken.slice(quarter, 2 * quarter), taken.slice(-quarter)];
  yield {
    case: 'soak',
    days: sweeps / sweepsPerDay,
    sweeps,
    passes: controller.passes,
    scalings: controller.scalings,
    startHeapBytes: median(start.map(({ heapBytes }) => heapBytes)),
    endHeapBytes: median(end.map(({ heapBytes }) => heapBytes)),
    startResidentBytes: median(start.map(({ residentBytes }) => residentBytes)),
    endResidentBytes: median(end.map(({ residentBytes }) => residentBytes)),
    startSeries: median(start.map(({ series }) => series)),
    endSeries: median(end.map(({ series }) => series)),
  };
}

async function sample(controller: SoakedController): Promise<Sample> {
  const series = await controller.scrape();
  // The second collects what the first found finalizers for.
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, residentBytes: rss, series };
}

function daysOf(text: string | undefined): number {
  const days = text === undefined ? defaultDays : Number(text);
  if (Number.isFinite(days) && days > 0) return days;
  throw new Error(`--days is a number above 0, not ${text ?? ''}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
