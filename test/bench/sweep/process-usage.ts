import { readFile, writeFile } from 'node:fs/promises';

/** What a process has used since it began; Linux tells. */
export interface ProcessUsage {
  /** Of all its threads and of its children that have ended, in steps of 10 ms. */
  readonly cpuSeconds: number;
  /** How long its main thread was ready to run and had no core: what a busy machine took from it. */
  readonly waitedSeconds: number;
  readonly residentBytes: number;
  /** The highest since the start, or since {@link resetPeak}. */
  readonly peakBytes: number;
  /** Written to files, the page cache's part included. */
  readonly writtenBytes: number;
}

/** @throws Error where the process has ended, or this is not Linux */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const [stat, schedule, status, io] = await Promise.all(
    ['stat', 'schedstat', 'status', 'io'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  );
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, count) => sum + Number(count), 0);
  return {
    cpuSeconds: ticks / 100,
    waitedSeconds: Number(schedule?.split(' ')[1]) / 1e9,
    residentBytes: numberAfter(status, 'VmRSS:') * 1024,
    peakBytes: numberAfter(status, 'VmHWM:') * 1024,
    writtenBytes: numberAfter(io, '\nwrite_bytes:'),
  };
}

/** Begins a new peak of resident memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

function numberAfter(text: string | undefined, name: string): number {
  const at = text?.indexOf(name) ?? -1;
  return at < 0 ? Number.NaN : Number.parseInt((text ?? '').slice(at + name.length), 10);
}
