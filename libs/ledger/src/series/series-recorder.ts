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

/** Rows of room that a policy begins with; at an interval of 15 s a chunk has 16. */
const firstRows = 16;
/** Four minutes of passes a second apart. */
const maximumOpenRows = 256;

interface OpenSeries {
  readonly policy: RecordedChunk['policy'];
  metrics: readonly SeriesMetric[];
  width: number;
  /** Row after row. */
  values: Float64Array;
  rows: number;
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
    if (target.rows === maximumOpenRows) this.#close(target);
    if (target.rows === 0) target.metrics = metrics;
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
      if (series.rows === 0 && Math.abs(now - series.lastTime) > idleMilliseconds) this.#open.delete(key);
      if (series.rows > 0 && Math.abs(now - firstTime(series)) >= openMilliseconds) this.#close(series);
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
      ...(open === undefined || open.rows === 0 ? [] : [chunkOf(open)]),
    ];
  }

  #close(series: OpenSeries): void {
    if (series.rows === 0) return;
    const { policy, rows, lastTime } = series;
    const bytes = encodeSeriesChunk(chunkOf(series));
    this.#complete.push({ policy, start: firstTime(series), end: lastTime, rows, bytes });
    series.rows = 0;
  }
}

function emptySeries(policy: RecordedChunk['policy']): OpenSeries {
  return { policy, metrics: [], width: 0, values: new Float64Array(0), rows: 0, lastTime: 0 };
}

function chunkOf({ metrics, rows, width, values }: OpenSeries): SeriesChunk {
  const columns = Array.from({ length: width }, (_, column) => {
    const ofColumn = new Float64Array(rows);
    for (let row = 0; row < rows; row += 1) ofColumn[row] = values[row * width + column] ?? Number.NaN;
    return ofColumn;
  });
  return { layout: { metrics }, rows, columns };
}

function firstTime({ values }: OpenSeries): number {
  return values[0] ?? 0;
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
  if (series.rows === 0) series.width = seriesWidth({ metrics: series.metrics });
  const { width, rows } = series;
  if (series.values.length < (rows + 1) * width) {
    const grown = new Float64Array(Math.max(firstRows, rows * 2) * width);
    grown.set(series.values.subarray(0, rows * width));
    series.values = grown;
  }
  series.values.set(values, rows * width);
  series.rows += 1;
  series.lastTime = time;
}
