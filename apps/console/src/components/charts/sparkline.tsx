import { memo, type ReactElement } from 'react';

export interface SparklineProps {
  /** Oldest first; null: not known then. */
  readonly values: readonly (number | null)[];
  /** The bounds that the line is drawn between; it may lie beyond them. */
  readonly minimum: number;
  readonly maximum: number;
  readonly label: string;
}

const width = 96;
const height = 20;
const inset = 2;
/** Of them, what the line goes over: the mark at its end has room. */
const lineWidth = width - 3;

/** Counts over a time as steps, within their bounds; a gap is where nothing is known. */
export const Sparkline = memo(function Sparkline(props: SparklineProps): ReactElement {
  const { label } = props;
  const { path, end } = lineOf(props);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={`${width / 16}rem`}
      height={`${height / 16}rem`}
      role="img"
      aria-label={label}
    >
      <path className="sparkline-bounds" d={`M0 ${height - inset}H${lineWidth}M0 ${inset}H${lineWidth}`} />
      <path className="sparkline-line" d={path} />
      {end === undefined ? null : <circle className="sparkline-end" cx={lineWidth} cy={end} r="2" />}
    </svg>
  );
});

interface Line {
  readonly path: string;
  /** Where the newest count is, where it is known. */
  readonly end: string | undefined;
}

/** Steps, not slopes: a count is what it is until it changes. */
function lineOf({ values, minimum, maximum }: SparklineProps): Line {
  const known = values.filter((value) => value !== null);
  const least = Math.min(minimum, ...known);
  const most = Math.max(maximum, least + 1, ...known);
  const at = (value: number): string =>
    (height - inset - ((value - least) / (most - least)) * (height - 2 * inset)).toFixed(1);
  const step = lineWidth / Math.max(1, values.length);
  const parts = values.map((value, index) => {
    if (value === null) return '';
    const isJoined = index > 0 && values[index - 1] !== null;
    const start = isJoined ? `V${at(value)}` : `M${(index * step).toFixed(1)} ${at(value)}`;
    return `${start}H${((index + 1) * step).toFixed(1)}`;
  });
  const newest = values.at(-1) ?? null;
  return { path: parts.join(''), end: newest === null ? undefined : at(newest) };
}
