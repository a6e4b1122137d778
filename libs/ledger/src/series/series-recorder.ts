import type { DecideInput, Decision } from '#decision';
import {
  decodeSeriesChunk,
  encodeSeriesChunk,
  type SeriesChunk,
  type SeriesMetric,
  seriesWidth,
} from './series-chunk.ts';
import { seriesRow } from './series-row.ts';
import type { RecordedChunk } from './series-store.port.ts';

/** What a process that is killed may lose. */
const openMilliseconds = 240_000;

/** A policy without a pass for so long is forgotten. */
const idleMilliseconds = 3_600_000;

/** Four minutes of passes a second apart. */
const maximumOpenRows = 256;

/** The column that each row has of its own. */
const timeColumn = 0;

interface OpenSeries {
  readonly policy: RecordedChunk['policy'];
  metrics: readonly SeriesMetric[];
  /** Of each row. */
  times: number[];
  /** Of each row; one that says what the one before said is the same list, but for the time. */
  rows: (readonly number[])[];
  lastTime: number;
}

/** Collects the rows of passes in memory, and gives them away in chunks. */
export class SeriesRecorder {
  readonly #open = new Map<string, OpenSeries>();
  /** Complete before their time: their policy's columns have changed, or they are full. */
  #complete: RecordedChunk[] = [];

  /** How many policies have rows, or had them lately. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds what a pass saw and decided. */
  record(input: DecideInput, decision: Decision): void {
    const { namespace, name } = decision.policy;
    const key = `${namespace}/${name}`;
    const series = this.#open.get(key);
    const { metrics, values } = seriesRow(input, decision, series?.metrics ?? []);
    const [time = Number.NaN] = values;
    if (Number.isNaN(time)) return;
    const target = series ?? emptySeries({ namespace, name });
    if (series === undefined) this.#open.set(key, target);
    if (!hasPlaces(target.metrics, metrics)) this.#close(target);
    if (target.rows.length === maximumOpenRows) this.#close(target);
    if (target.rows.length === 0) target.metrics = metrics;
    appendRow(target, { time, values });
  }

  /**
   * Takes complete chunks, oldest first: those of policies whose first row is four minutes old.
   *
   * @param now milliseconds since 1970
   */
  takeDue(now: number, limit: number): readonly RecordedChunk[] {
    for (const [key, series] of this.#open) {
      if (this.#complete.length >= limit) break;
      const isEmpty = series.rows.length === 0;
      if (isEmpty && Math.abs(now - series.lastTime) > idleMilliseconds) this.#open.delete(key);
      if (!isEmpty && Math.abs(now - firstTime(series)) >= openMilliseconds) this.#close(series);
    }
    return this.#complete.splice(0, limit);
  }

  /** Takes everything, or what there is of some policies, which are forgotten. */
  takeAll(isWanted: (policy: RecordedChunk['policy']) => boolean = () => true): readonly RecordedChunk[] {
    for (const [key, series] of this.#open) {
      if (!isWanted(series.policy)) continue;
      this.#close(series);
      this.#open.delete(key);
    }
    const taken = this.#complete.filter(({ policy }) => isWanted(policy));
    this.#complete = this.#complete.filter(({ policy }) => !isWanted(policy));
    return taken;
  }

  /** What there is of a policy, oldest first; it is not taken. */
  peek({ namespace, name }: RecordedChunk['policy']): readonly SeriesChunk[] {
    const open = this.#open.get(`${namespace}/${name}`);
    const complete = this.#complete.filter(
      ({ policy }) => policy.namespace === namespace && policy.name === name,
    );
    return [
      ...complete.map(({ bytes }) => decodeSeriesChunk(bytes)),
      ...(open === undefined || open.rows.length === 0 ? [] : [chunkOf(open)]),
    ];
  }

  #close(series: OpenSeries): void {
    if (series.rows.length === 0) return;
    const { policy, rows, lastTime } = series;
    const bytes = encodeSeriesChunk(chunkOf(series));
    this.#complete.push({ policy, start: firstTime(series), end: lastTime, rows: rows.length, bytes });
    series.times = [];
    series.rows = [];
  }
}

function emptySeries(policy: RecordedChunk['policy']): OpenSeries {
  return { policy, metrics: [], times: [], rows: [], lastTime: 0 };
}

function chunkOf({ metrics, times, rows }: OpenSeries): SeriesChunk {
  const width = seriesWidth({ metrics });
  const columns = Array.from({ length: width }, (_, column) =>
    Float64Array.from(rows, (values) => values[column] ?? Number.NaN),
  );
  columns[timeColumn] = Float64Array.from(times);
  return { layout: { metrics }, rows: rows.length, columns };
}

function firstTime({ times }: OpenSeries): number {
  return times[0] ?? 0;
}

/** Whether rows with `next`'s columns fit behind those with the columns of `metrics`. */
function hasPlaces(metrics: readonly SeriesMetric[], next: readonly SeriesMetric[]): boolean {
  if (metrics === next) return true;
  return (
    metrics.length === next.length &&
    metrics.every((metric, index) => {
      const other = next[index];
      // Containers keep their places, so that the same number are the same.
      return (
        metric.type === other?.type &&
        metric.name === other.name &&
        metric.containers.length === other.containers.length
      );
    })
  );
}

function appendRow(
  series: OpenSeries,
  { time, values }: { readonly time: number; readonly values: readonly number[] },
): void {
  const last = series.rows.at(-1);
  series.times.push(time);
  // What was put together value by value has room for more.
  series.rows.push(last !== undefined && saysTheSame(last, values) ? last : values.slice());
  series.lastTime = time;
}

function saysTheSame(last: readonly number[], values: readonly number[]): boolean {
  return (
    last.length === values.length &&
    last.every((value, column) => column === timeColumn || Object.is(value, values[column]))
  );
}
