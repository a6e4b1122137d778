import { lazy, type ReactElement, Suspense, useMemo, useState } from 'react';
import { serverNow } from '../../api/clock.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/panel.tsx';
import type { PlotMark } from '../../components/plot-marks.ts';
import type { PlotLine } from '../../components/time-plot.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import { chartMarks } from './chart-marks.ts';
import { ChartTable } from './chart-table.tsx';
import { MarkLegend } from './mark-legend.tsx';
import {
  PolicyChartMarksDocument,
  PolicyChartOverTimeDocument,
  type PolicyChartOverTimeQuery,
} from './policy-chart.generated.ts';

import '../../components/time-plot.css';

const TimePlot = lazy(() => import('../../components/time-plot.tsx'));

const texts = policy.chart;

type Chart = NonNullable<NonNullable<PolicyChartOverTimeQuery['policy']>['chart']>;

const hours = [0.25, 1, 6, 24, 168] as const;

interface Span {
  readonly from: string;
  /** Null: the present, whenever that is. */
  readonly until: string | null;
}

/** Replicas, bounds and a metric on one time axis, with what happened as marks on it. */
export function PolicyChart({ namespace, name }: PolicyChartProps): ReactElement {
  const [span, setSpan] = useState<Span>(() => lastHours(1));
  const variables = { namespace, name, ...span };
  const answer = useAnswer(PolicyChartOverTimeDocument, variables);
  const chart = answer.data?.policy?.chart ?? undefined;
  const marks = useMarks({ namespace, name }, span, chart);
  const tools = (
    <>
      {hours.map((count) => (
        <button key={count} type="button" className="link" onClick={() => setSpan(lastHours(count))}>
          {texts.hours(count)}
        </button>
      ))}
    </>
  );
  return (
    <Panel
      title={texts.title}
      answer={answer}
      query={{ document: PolicyChartOverTimeDocument, variables }}
      tools={tools}
    >
      {chart === undefined ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ChartView
          chart={chart}
          marks={marks}
          onZoom={(from, until) => setSpan({ from: timeOf(from), until: timeOf(until) })}
        />
      )}
    </Panel>
  );
}

interface PolicyChartProps {
  readonly namespace: string;
  readonly name: string;
}

type PolicyName = Pick<PolicyChartProps, 'namespace' | 'name'>;

/** What happened to the policy in the time that is shown. */
function useMarks(
  { namespace, name }: PolicyName,
  span: Span,
  chart: Chart | undefined,
): readonly PlotMark[] {
  const variables = { policy: { namespace, name }, namespaces: [namespace], ...span };
  const { data } = useAnswer(PolicyChartMarksDocument, variables);
  return useMemo(() => {
    if (chart === undefined || data === undefined) return [];
    const entries = [data.own, data.operators, data.syncs].flatMap(({ edges }) =>
      edges.map(({ node }) => node),
    );
    return chartMarks(entries, chart, { namespace, name });
  }, [chart, data, namespace, name]);
}

function lastHours(count: number): Span {
  return { from: timeOf(serverNow() / 1_000 - count * 3_600), until: null };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

interface ChartViewProps {
  readonly chart: Chart;
  readonly marks: readonly PlotMark[];
  readonly onZoom: (from: number, until: number) => void;
}

function ChartView({ chart, marks, onZoom }: ChartViewProps): ReactElement {
  const [pointed, setPointed] = useState<number | null>(null);
  const times = useMemo(() => chart.times.map((time) => Date.parse(time) / 1_000), [chart]);
  const lines = useMemo(() => linesOf(chart), [chart]);
  const last = chart.specReplicas.mean.findLastIndex((value) => value !== null);
  const index = Math.min(pointed ?? last, times.length - 1);
  return (
    <>
      {index < 0 ? <p className="quiet">{texts.none}</p> : <Readout chart={chart} index={index} />}
      <Suspense fallback={<div className="skeleton" />}>
        <TimePlot
          times={times}
          until={Date.parse(chart.until) / 1_000}
          lines={lines}
          marks={marks}
          onPoint={setPointed}
          onZoom={onZoom}
        />
      </Suspense>
      <MarkLegend marks={marks} />
      {chart.isComplete ? null : <p className="quiet">{texts.incomplete}</p>}
      <ChartTable chart={chart} />
    </>
  );
}

/** The count with its bounds, and the first metric with what it is held against. */
function linesOf({ specReplicas, minReplicas, maxReplicas, metrics: [metric] }: Chart): readonly PlotLine[] {
  const bound = { scale: 'replicas', colour: '--text-quiet', form: 'dashed' } as const;
  const held = { scale: 'metric', colour: '--operator', form: 'dashed' } as const;
  return [
    { values: minReplicas, ...bound },
    { values: maxReplicas, ...bound },
    ...(metric === undefined
      ? []
      : ([
          { values: metric.mean, ...held, form: 'line' },
          ...[metric.targets, metric.lowWatermarks, metric.highWatermarks]
            .filter((values) => values.some((value) => value !== null))
            .map((values) => ({ values, ...held })),
        ] as const)),
    { values: specReplicas.mean, scale: 'replicas', colour: '--accent', form: 'step' },
  ];
}

function Readout({ chart, index }: { readonly chart: Chart; readonly index: number }): ReactElement {
  const { specReplicas, minReplicas, maxReplicas, metrics } = chart;
  const [metric] = metrics;
  return (
    <p className="chart-readout">
      <Timestamp time={chart.times[index] ?? chart.until} />
      <span data-line="replicas">
        {texts.replicas} <strong>{texts.number(specReplicas.mean[index])}</strong>
        <span className="quiet"> {texts.range(specReplicas.lowest[index], specReplicas.highest[index])}</span>
      </span>
      <span className="quiet">
        {texts.bounds} {texts.number(minReplicas[index])}–{texts.number(maxReplicas[index])}
      </span>
      {metric === undefined ? null : (
        <span data-line="metric">
          {metric.name} <strong>{texts.number(metric.mean[index])}</strong>{' '}
          <span className="quiet">
            {texts.against(metric.targets[index], metric.lowWatermarks[index], metric.highWatermarks[index])}
          </span>
        </span>
      )}
    </p>
  );
}
