import { ByteReader, ByteWriter } from './byte-buffer.ts';
import { decodeColumn, encodeColumn } from './column-codec.ts';

/** The version of the format; readers refuse others. */
const formatVersion = 1;

/** An hour of passes a second apart, twice over: a damaged count does not take the memory. */
const maximumChunkRows = 8_192;

/** What of a metric the columns say. */
export interface SeriesMetric {
  /** As in a decision's report: `Resource`, `External`, … */
  readonly type: string;
  readonly name: string;
  /** In the order of their columns. `''` is the pod as a whole: the values of a `Pods` metric, requests of pod level. */
  readonly containers: readonly string[];
}

/** Which columns there are. */
export interface SeriesLayout {
  readonly metrics: readonly SeriesMetric[];
}

/** Passes of one policy, oldest first, by column. */
export interface SeriesChunk {
  readonly layout: SeriesLayout;
  readonly rows: number;
  /** One per {@link seriesColumns}, each with a value per row; NaN: there is none. */
  readonly columns: readonly Float64Array[];
}

const passColumns = ['time', 'specReplicas', 'statusReplicas'];
const metricColumns = ['ready', 'unready', 'missing', 'ignored', 'filteredOut', 'value'];
const containerColumns = ['usage', 'requests', 'filteredUsage', 'filteredRequests'];

/** The names of a layout's columns, in order: `time`, `metrics[0].ready`, `metrics[0].containers[1].usage`. */
export function seriesColumns({ metrics }: SeriesLayout): readonly string[] {
  return [
    ...passColumns,
    ...metrics.flatMap(({ containers }, metric) => [
      ...metricColumns.map((name) => `metrics[${metric}].${name}`),
      ...containers.flatMap((_, container) =>
        containerColumns.map((name) => `metrics[${metric}].containers[${container}].${name}`),
      ),
    ]),
  ];
}

/** How many columns a layout has. */
export function seriesWidth({ metrics }: SeriesLayout): number {
  const containers = metrics.reduce((sum, metric) => sum + metric.containers.length, 0);
  return passColumns.length + metrics.length * metricColumns.length + containers * containerColumns.length;
}

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Writes a chunk in the format of docs/spec/series.md, uncompressed. */
export function encodeSeriesChunk({ layout, rows, columns }: SeriesChunk): Uint8Array {
  const writer = new ByteWriter();
  const metrics = layout.metrics.map(({ type, name, containers }) => ({ type, name, containers }));
  const text = utf8.encode(JSON.stringify({ metrics }));
  writer.byte(formatVersion);
  writer.varint(rows);
  writer.varint(text.length);
  writer.bytes(text);
  for (const column of columns) encodeColumn(writer, column);
  return writer.finish();
}

/** Reads a chunk. @throws RangeError or SyntaxError where the bytes are none, or of another version of the format. */
export function decodeSeriesChunk(bytes: Uint8Array): SeriesChunk {
  const reader = new ByteReader(bytes);
  const rows = readRowCount(reader);
  const layout = parseLayout(fromUtf8.decode(reader.bytes(reader.varint())));
  const columns = Array.from({ length: seriesWidth(layout) }, () => decodeColumn(reader, rows));
  if (reader.remaining > 0) throw new RangeError('a chunk is longer than its columns');
  return { layout, rows, columns };
}

/** Reads the columns that every chunk has (`time`, `specReplicas`, `statusReplicas`), and no others. @throws RangeError */
export function decodePassColumns(bytes: Uint8Array): readonly Float64Array[] {
  const reader = new ByteReader(bytes);
  const rows = readRowCount(reader);
  reader.bytes(reader.varint());
  return passColumns.map(() => decodeColumn(reader, rows));
}

/** Chunks of one layout as one, in the order given. */
export function joinSeriesChunks(chunks: readonly SeriesChunk[]): SeriesChunk {
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const layout = chunks[0]?.layout ?? { metrics: [] };
  const columns = Array.from({ length: seriesWidth(layout) }, (_, index) => {
    const joined = new Float64Array(rows);
    let at = 0;
    for (const chunk of chunks) {
      joined.set(chunk.columns[index] ?? [], at);
      at += chunk.rows;
    }
    return joined;
  });
  return { layout, rows, columns };
}

/** The rows of a chunk from a time on and before another, in milliseconds since 1970. */
export function sliceSeriesChunk(
  { layout, rows, columns }: SeriesChunk,
  { from, until }: { readonly from: number; readonly until: number },
): SeriesChunk {
  const [times = new Float64Array(0)] = columns;
  const isIn = (time: number): boolean => time >= from && time < until;
  const first = times.findIndex(isIn);
  if (first === -1) return { layout, rows: 0, columns: columns.map(() => new Float64Array(0)) };
  const end = times.findLastIndex(isIn) + 1;
  if (first === 0 && end === rows) return { layout, rows, columns };
  return { layout, rows: end - first, columns: columns.map((column) => column.subarray(first, end)) };
}

/** Whether rows of two layouts have the same columns. */
export function isSameLayout(a: SeriesLayout, b: SeriesLayout): boolean {
  return (
    a.metrics.length === b.metrics.length &&
    a.metrics.every((metric, index) => {
      const other = b.metrics[index];
      return (
        metric.type === other?.type &&
        metric.name === other.name &&
        metric.containers.length === other.containers.length &&
        metric.containers.every((name, at) => name === other.containers[at])
      );
    })
  );
}

function readRowCount(reader: ByteReader): number {
  const version = reader.byte();
  if (version !== formatVersion) throw new RangeError(`format ${version} of a chunk is not known`);
  const rows = reader.varint();
  if (rows > maximumChunkRows) throw new RangeError(`a chunk has ${rows} rows`);
  return rows;
}

function parseLayout(text: string): SeriesLayout {
  const layout = JSON.parse(text) as Partial<SeriesLayout> | null;
  const metrics: unknown = layout?.metrics;
  if (!Array.isArray(metrics) || !metrics.every(isMetric)) throw new RangeError('a chunk has no layout');
  return { metrics };
}

function isMetric(value: unknown): value is SeriesMetric {
  const { type, name, containers } = (value ?? {}) as Partial<Record<keyof SeriesMetric, unknown>>;
  return (
    typeof type === 'string' &&
    typeof name === 'string' &&
    Array.isArray(containers) &&
    containers.every((container) => typeof container === 'string')
  );
}
