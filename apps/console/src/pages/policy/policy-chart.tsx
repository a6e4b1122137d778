import { lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from 'react';
import type { Json } from '#kernel';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/panel.tsx';
import type { PlotMark } from '../../components/plot-marks.ts';
import type { PlotLine } from '../../components/time-plot.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import { chartMarks, heldOver, stepsOfOutage } from './chart-marks.ts';
import { ChartRanges } from './chart-ranges.tsx';
import { timeOf } from './chart-span.ts';
import { ChartTable } from './chart-table.tsx';
import { MarkLegend } from './mark-legend.tsx';
import {
  PolicyChartMarksDocument,
  PolicyChartOverTimeDocument,
  type PolicyChartOverTimeQuery,
} from './policy-chart.generated.ts';
import type { PolicyOfPage } from './policy-head.tsx';
import { type AskedSpan, useChartSpan } from './use-chart-span.ts';

import '../../components/time-plot.css';

const TimePlot = lazy(() => import('../../components/time-plot.tsx'));

const texts = policy.chart;

type Chart = NonNullable<NonNullable<PolicyChartOverTimeQuery['policy']>['chart']>;

/** Replicas, bounds and a metric on one time axis, with what happened as marks on it. */
export function PolicyChart({ policy }: PolicyChartProps): ReactElement {
  const { namespace, name, intervalSeconds } = policy;
  const { span, choose, noteChart } = useChartSpan();
  const variables = { namespace, name, from: span.from, until: span.until };
  const answer = useAnswer(PolicyChartOverTimeDocument, variables, { isKept: span.until !== null });
  const chart = answer.data?.policy?.chart ?? undefined;
  const marks = useMarks(policy, span, chart);
  if (chart !== undefined) noteChart(chart);
  return (
    <Panel
      title={texts.title}
      answer={answer}
      query={{ document: PolicyChartOverTimeDocument, variables }}
      tools={<ChartRanges span={span} onChoose={choose} />}
    >
      {chart === undefined ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ChartView
          chart={chart}
          marks={marks}
          intervalSeconds={intervalSeconds}
          onZoom={(from, until) =>
            choose({ kind: 'Times', from: timeOf(1_000 * from), until: timeOf(1_000 * until) })
          }
        />
      )}
    </Panel>
  );
}

interface PolicyChartProps {
  readonly policy: Pick<PolicyOfPage, 'namespace' | 'name' | 'intervalSeconds' | 'document'>;
}

/** What happened to the policy in the time that is shown. */
function useMarks(
  { namespace, name, intervalSeconds, document }: PolicyChartProps['policy'],
  { from, until }: Pick<AskedSpan, 'from' | 'until'>,
  chart: Chart | undefined,
): readonly PlotMark[] {
  const variables = { policy: { namespace, name }, namespaces: [namespace], from, until };
  const { data } = useAnswer(PolicyChartMarksDocument, variables, { isKept: until !== null });
  const windows = useWindowMarks(document, chart);
  return useMemo(() => {
    if (chart === undefined || data === undefined) return [];
    const entries = [data.own, data.operators, data.syncs].flatMap(({ edges }) =>
      edges.map(({ node }) => node),
    );
    return chartMarks(entries, { ...chart, windows }, { namespace, name, intervalSeconds });
  }, [chart, data, windows, namespace, name, intervalSeconds]);
}

/** Schedules and freezes, by the library that knows them, which is loaded where the policy has some. */
function useWindowMarks(document: unknown, chart: Chart | undefined): readonly PlotMark[] {
  const [marks, setMarks] = useState<readonly PlotMark[]>([]);
  const text = JSON.stringify(document);
  const [from, until] = [chart?.times[0], chart?.until];
  useEffect(() => {
    if (from === undefined || until === undefined || !/"(schedules|freeze)":/.test(text)) return undefined;
    let isWanted = true;
    void import('./window-marks.ts').then(({ windowMarks }) => {
      if (isWanted) setMarks(windowMarks(JSON.parse(text) as Json, from, until));
    });
    return () => {
      isWanted = false;
    };
  }, [text, from, until]);
  return marks;
}

interface ChartViewProps {
  readonly chart: Chart;
  readonly marks: readonly PlotMark[];
  readonly intervalSeconds: number;
  readonly onZoom: (from: number, until: number) => void;
}

function ChartView({ chart, marks, intervalSeconds, onZoom }: ChartViewProps): ReactElement {
  const [pointed, setPointed] = useState<number | null>(null);
  const times = useMemo(() => chart.times.map((time) => Date.parse(time) / 1_000), [chart]);
  const lines = useMemo(() => linesOf(chart, intervalSeconds), [chart, intervalSeconds]);
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
function linesOf(chart: Chart, intervalSeconds: number): readonly PlotLine[] {
  const { specReplicas, minReplicas, maxReplicas, metrics } = chart;
  const [metric] = metrics;
  const outage = stepsOfOutage(chart, intervalSeconds);
  const line = (values: readonly (number | null)[], look: Omit<PlotLine, 'values'>): PlotLine => ({
    values: heldOver(values, outage),
    ...look,
  });
  const bound = { scale: 'replicas', colour: '--text-quiet', form: 'dashed' } as const;
  const held = { scale: 'metric', colour: '--operator', form: 'dashed' } as const;
  return [
    line(minReplicas, bound),
    line(maxReplicas, bound),
    ...(metric === undefined
      ? []
      : [
          line(metric.mean, { ...held, form: 'line' }),
          ...[metric.targets, metric.lowWatermarks, metric.highWatermarks]
            .filter((values) => values.some((value) => value !== null))
            .map((values) => line(values, held)),
        ]),
    line(specReplicas.mean, { scale: 'replicas', colour: '--accent', form: 'step' }),
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
