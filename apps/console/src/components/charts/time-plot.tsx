import { type ReactElement, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Link } from 'react-router';
import uPlot from 'uplot';
import { theme, timeZone } from '../../state/preferences.ts';
import { useNarrow } from '../screen/use-narrow.ts';
import { useRem } from '../screen/use-rem.ts';
import { formatTime } from '../time/format-time.ts';
import { groupMarks } from './group-marks.ts';
import { markKinds, type PlotMark } from './plot-marks.ts';

import 'uplot/dist/uPlot.min.css';

/** A line over time. */
export interface PlotLine {
  /** What it is; lines of one name look alike. */
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly scale: 'replicas' | 'metric';
  /** A custom property of the style sheet. */
  readonly colour: string;
  readonly form: 'step' | 'line' | 'dashed';
}

interface AxisLabels {
  readonly replicas: string;
  readonly metric: string;
}

interface TimePlotProps {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** The end of the last step. */
  readonly until: number;
  readonly lines: readonly PlotLine[];
  readonly marks: readonly PlotMark[];
  /** What the axes measure, with the unit. */
  readonly axes: AxisLabels;
  /** Index of the moment that is pointed at; null: none is. */
  readonly onPoint: (index: number | null) => void;
  /** Seconds since 1970. */
  readonly onZoom: (from: number, until: number) => void;
}

/** In rem. */
const height = 15;
/** A time with its seconds, and room beside it. */
const labelWidth = 4.5;

/** As uPlot numbers them, in an enumeration that is a type only. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- see above
const rightSide = 1 as uPlot.Axis.Side;

/** A canvas for those who see it: what it shows is beside it as text and as a table. */
export default function TimePlot({
  times,
  until,
  lines,
  marks,
  axes,
  onPoint,
  onZoom,
}: TimePlotProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [made, setMade] = useState<{ readonly plot: uPlot; readonly look: string } | undefined>();
  const listeners = useRef({ onPoint, onZoom });
  useEffect(() => {
    listeners.current = { onPoint, onZoom };
  });
  const rem = useRem();
  const isNarrow = useNarrow();
  const look = JSON.stringify({
    rem,
    // On a telephone they would leave no room; the readout and the legend say the same.
    axes: isNarrow ? { replicas: '', metric: '' } : { replicas: axes.replicas, metric: axes.metric },
    lines: lines.map(({ scale, colour, form }) => ({ scale, colour, form })),
  });
  useEffect(() => {
    if (host.current === null) return undefined;
    const plot = plotIn(host.current, JSON.parse(look) as Look, listeners);
    setMade({ plot, look });
    const stop = followSurroundings(plot, host.current, () => setWidth(plot.over.clientWidth));
    return () => {
      stop();
      plot.destroy();
      setMade(undefined);
    };
  }, [look]);
  // The plot of another look has other lines, and is on its way out.
  const plot = made?.look === look ? made.plot : undefined;
  useEffect(() => {
    plot?.setData([[...times, until], ...lines.map(({ values }) => [...values, null])]);
  }, [plot, times, until, lines]);
  const [first = 0] = times;
  return (
    <div ref={host} className="time-plot">
      {plot === undefined
        ? null
        : createPortal(<Marks marks={marks} first={first} until={until} width={width} />, plot.over)}
    </div>
  );
}

/** In pixels, as the style sheet has it: a finger meets what is as large. */
const markWidth = 24;

function Marks({ marks, first, until, width }: MarksProps): readonly ReactElement[] {
  const seen = marks.filter(({ time }) => time >= first && time <= until);
  const seconds = (markWidth * Math.max(1, until - first)) / Math.max(markWidth, width);
  return groupMarks(seen, seconds).map(({ id, time, title, path, kind }) => (
    <Link
      key={id}
      className="time-plot-mark"
      data-kind={kind}
      data-lane={markKinds[kind].lane}
      to={path}
      aria-label={title}
      title={title}
      style={{ left: `${(100 * (time - first)) / Math.max(1, until - first)}%` }}
    >
      {markKinds[kind].sign}
    </Link>
  ));
}

interface MarksProps extends Pick<TimePlotProps, 'marks' | 'until'> {
  readonly first: number;
  /** Of the plot, in pixels. */
  readonly width: number;
}

/** What a plot is made with, and is made anew for. */
interface Look {
  /** Pixels of a rem. */
  readonly rem: number;
  readonly axes: AxisLabels;
  readonly lines: readonly LineLook[];
}

type LineLook = Pick<PlotLine, 'scale' | 'colour' | 'form'>;

interface Listeners {
  readonly current: Pick<TimePlotProps, 'onPoint' | 'onZoom'>;
}

function plotIn(host: HTMLElement, { rem, axes, lines }: Look, listeners: Listeners): uPlot {
  const axis = {
    stroke: () => colourOf('--text-quiet'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: `${0.6875 * rem}px system-ui, sans-serif`,
    labelFont: `${0.6875 * rem}px system-ui, sans-serif`,
    labelSize: 1.125 * rem,
    labelGap: 0,
  };
  const hasMetric = lines.some(({ scale }) => scale === 'metric');
  return new uPlot(
    {
      width: Math.max(200, host.clientWidth),
      height: height * rem,
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, y: false },
      scales: {
        replicas: { range: (_, __, highest) => [0, Math.max(1, highest * 1.1)] },
        metric: { range: (_, __, highest) => [0, Math.max(Number.MIN_VALUE, (highest || 1) * 1.1)] },
      },
      axes: [
        { ...axis, values: timeTexts, size: 2 * rem, space: labelWidth * rem, gap: 0.5 * rem },
        { ...axis, ...labelled(axes.replicas), scale: 'replicas', size: 2.25 * rem },
        ...(hasMetric
          ? [
              {
                ...axis,
                stroke: () => colourOf('--metric'),
                ...labelled(axes.metric),
                values: shortNumbers,
                scale: 'metric',
                side: rightSide,
                size: 2.75 * rem,
                grid: { show: false },
              },
            ]
          : []),
      ],
      series: [{}, ...lines.map(seriesOf)],
      hooks: {
        setCursor: [({ cursor }) => listeners.current.onPoint(cursor.idx ?? null)],
        setSelect: [
          (made) => {
            const { left, width } = made.select;
            if (width > 4)
              listeners.current.onZoom(made.posToVal(left, 'x'), made.posToVal(left + width, 'x'));
            made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    undefined,
    host,
  );
}

/** Without one, an axis is narrower. */
function labelled(text: string): { readonly label?: string } {
  return text === '' ? {} : { label: text };
}

function seriesOf({ scale, colour, form }: LineLook): uPlot.Series {
  const stepped = form === 'line' ? undefined : uPlot.paths.stepped?.({ align: 1 });
  return {
    scale,
    stroke: () => colourOf(colour),
    width: form === 'step' ? 2 : 1.25,
    points: { show: true, size: 5, fill: () => colourOf(colour), filter: isolatedPoints },
    ...(form === 'dashed' && { dash: [4, 4] }),
    ...(stepped !== undefined && { paths: stepped }),
  };
}

/** A value without one on either side is no line: it is shown as a point. */
function isolatedPoints({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const isKnown = (index: number): boolean => typeof values[index] === 'number';
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
}

/** `67.1M`: an axis has room for a few characters. */
function shortNumbers(_: uPlot, splits: readonly number[]): string[] {
  return splits.map((split) =>
    split.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 }),
  );
}

/** As times are written elsewhere; with the day where more than one is shown, with seconds where minutes are less far apart. */
function timeTexts(_: uPlot, splits: readonly number[]): string[] {
  const isLong = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > 86_400;
  const isShort = (splits[1] ?? Infinity) - (splits[0] ?? 0) < 60;
  return splits.map((split) => {
    const text = formatTime(new Date(split * 1_000).toISOString(), timeZone.get(), isLong ? 'day' : 'time');
    return isLong || isShort ? text : text.slice(0, 5);
  });
}

/** As it is in the present theme: what is drawn knows no `light-dark()`. */
function colourOf(property: string): string {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.style.color = `var(${property})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Follows the width of its place, and the theme. */
function followSurroundings(plot: uPlot, host: HTMLElement, onSize: () => void): () => void {
  const redraw = (): void => plot.redraw(false, true);
  const observer = new ResizeObserver(() => {
    plot.setSize({ width: Math.max(200, host.clientWidth), height: plot.height });
    // The plot within its axes has its size a microtask later.
    queueMicrotask(onSize);
  });
  observer.observe(host);
  // What is drawn has the colours of the screen until it is drawn for paper.
  const media = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  for (const each of media) each.addEventListener('change', redraw);
  const stops = [theme.subscribe(redraw), timeZone.subscribe(redraw)];
  return () => {
    observer.disconnect();
    for (const each of media) each.removeEventListener('change', redraw);
    for (const stop of stops) stop();
  };
}
