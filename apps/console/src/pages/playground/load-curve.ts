import { err, ok, type Result } from '#kernel';

/** How the load goes over time, in percent of what the observation measured, which is 100. */
export interface LoadCurve {
  readonly kind: LoadCurveKind;
  /** Before the step, the ramp or the spike; the least of a day. */
  readonly lowPercent: number;
  /** After the step or the ramp, during the spike; the most of a day. */
  readonly highPercent: number;
  readonly atMinutes: number;
  /** Of the ramp or the spike. */
  readonly forMinutes: number;
  /** Lines of a time (seconds from the start, or RFC 3339) and a load. */
  readonly csv: string;
}

export const loadCurveKinds = ['Step', 'Ramp', 'Spike', 'Daily', 'Csv'] as const;
export type LoadCurveKind = (typeof loadCurveKinds)[number];

/** Percent of the observed load, so many seconds after the start. */
export type LoadAt = (seconds: number) => number;

/** What is wrong with a line of the CSV. */
export interface CsvProblem {
  readonly line: number;
  readonly field: 'time' | 'load' | 'lines';
  readonly message: string;
  readonly hint: string;
}

/** Characters of a CSV: 50,000 lines. */
export const maximumCsvCharacters = 1_048_576;

/** A week at one line per fifteen seconds is 40,320. */
const maximumLines = 50_000;

/** Beyond it a load says nothing. */
export const maximumPercent = 100_000;

const daySeconds = 86_400;

/** The hour of the day, in UTC, at which the daily wave is lowest. */
const lowestHour = 4;

/**
 * The load over time of a curve.
 *
 * @param startSeconds of the observation, since 1970: a daily wave follows the hour of the day.
 */
export function loadAtOf(curve: LoadCurve, startSeconds: number): Result<LoadAt, CsvProblem> {
  const { kind, lowPercent: low, highPercent: high } = curve;
  const [at, length] = [curve.atMinutes * 60, Math.max(0, curve.forMinutes) * 60];
  switch (kind) {
    case 'Step':
      return ok((seconds) => (seconds < at ? low : high));
    case 'Ramp':
      return ok((seconds) => low + (high - low) * part(seconds - at, length));
    case 'Spike':
      return ok((seconds) => (seconds >= at && seconds < at + length ? high : low));
    case 'Daily':
      return ok((seconds) => {
        const ofDay = (startSeconds + seconds - lowestHour * 3_600) / daySeconds;
        return low + ((high - low) * (1 - Math.cos(2 * Math.PI * ofDay))) / 2;
      });
    case 'Csv':
      return readCsv(curve.csv);
  }
}

/** How much of a span has passed, 0 to 1. */
function part(passed: number, length: number): number {
  if (passed < 0) return 0;
  return length === 0 ? 1 : Math.min(1, passed / length);
}

interface Point {
  readonly seconds: number;
  readonly percent: number;
}

/** The load of a line holds until the next line's time; before the first, the first's. */
function readCsv(csv: string): Result<LoadAt, CsvProblem> {
  if (csv.length > maximumCsvCharacters) return err(tooLong);
  const points: Point[] = [];
  let start: number | undefined;
  for (const { line, number } of linesOf(csv)) {
    const read = readLine(line, number);
    if (!read.ok) return read;
    const { seconds, percent, isInstant } = read.value;
    start ??= isInstant ? seconds : 0;
    const problem = problemAt(points, seconds - start);
    if (problem !== undefined) return err({ line: number, ...problem });
    points.push({ seconds: seconds - start, percent });
  }
  if (points.length === 0) return err(empty);
  return ok((seconds) => points[lastAtOrBefore(points, seconds)]?.percent ?? 0);
}

/** Lines with something in them, without a first line of names. */
function linesOf(csv: string): readonly { readonly line: string; readonly number: number }[] {
  return csv
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line, number }) => line.trim() !== '' && !(number === 1 && /^[\s"]*[a-z]/i.test(line)));
}

function problemAt(points: readonly Point[], seconds: number): Omit<CsvProblem, 'line'> | undefined {
  if (points.length >= maximumLines) return tooMany;
  return seconds < (points.at(-1)?.seconds ?? -Infinity) ? backwards : undefined;
}

/** Index of the last point that is not after the moment; 0 where all are. */
function lastAtOrBefore(points: readonly Point[], seconds: number): number {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((points[middle]?.seconds ?? Infinity) <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

function readLine(line: string, number: number): Result<Point & { readonly isInstant: boolean }, CsvProblem> {
  const [time = '', load = ''] = line.split(/[,;\t]/).map((cell) => cell.trim().replaceAll('"', ''));
  const isInstant = /^\d{4}-\d\d-\d\d[T ]/.test(time);
  const seconds = isInstant ? Date.parse(time) / 1_000 : Number(time);
  if (time === '' || !Number.isFinite(seconds)) {
    return err({
      line: number,
      field: 'time',
      message: `${JSON.stringify(time.slice(0, 40))} is no time`,
      hint: 'seconds from the start, or RFC 3339: 2026-11-20T12:00:00Z',
    });
  }
  const percent = Number(load);
  if (load === '' || !Number.isFinite(percent) || percent < 0 || percent > maximumPercent) {
    return err({
      line: number,
      field: 'load',
      message: `${JSON.stringify(load.slice(0, 40))} is no load`,
      hint: `percent of the observed load, 0 to ${maximumPercent}: 150`,
    });
  }
  return ok({ seconds, percent, isInstant });
}

const backwards = {
  field: 'time',
  message: 'the time is before that of the line above',
  hint: 'sort the lines by time',
} as const;

const tooMany = {
  field: 'lines',
  message: `there are more than ${maximumLines} lines`,
  hint: 'a load holds until the next line: leave out those that change nothing',
} as const;

const tooLong: CsvProblem = {
  line: 1,
  field: 'lines',
  message: `there are more than ${maximumCsvCharacters} characters`,
  hint: 'leave out columns beside the time and the load, and lines that change nothing',
};

const empty: CsvProblem = {
  line: 1,
  field: 'lines',
  message: 'there is no line with a time and a load',
  hint: '0,100 and on the next line 600,250: after ten minutes two and a half times the load',
};
