import { type ReactElement, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Json } from '#kernel';
import { useAnswer } from '../../api/use-answer.ts';
import { LineLegend } from '../../components/charts/line-legend.tsx';
import type { PlotMark } from '../../components/charts/plot-marks.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import { useParameters } from '../../navigation/use-parameters.ts';
import type { Chart } from './chart.ts';
import { chartLines } from './chart-lines.ts';
import { chartMarks } from './chart-marks.ts';
import { axisLabel, type DecidedMetric, metricKeys, metricShown } from './chart-metric.ts';
import { ChartRanges } from './chart-ranges.tsx';
import { ChartReadout } from './chart-readout.tsx';
import { timeOf } from './chart-span.ts';
import { ChartTable } from './chart-table.tsx';
import { MarkLegend } from './mark-legend.tsx';
import {
  PolicyChartMarksDocument,
  type PolicyChartMarksQuery,
  type PolicyChartMarksQueryVariables,
  PolicyChartOverTimeDocument,
} from './policy-chart.generated.ts';
import type { PolicyOfPage } from './policy-head.tsx';
import { useChartSpan } from './use-chart-span.ts';

import '../../components/charts/time-plot.css';

const TimePlot = lazyPart(() => import('../../components/charts/time-plot.tsx'));

const texts = policy.chart;

/** Replicas, bounds and a metric on one time axis, with what happened as marks on it. */
export function PolicyChart({ policy, decided }: PolicyChartProps): ReactElement {
  const { namespace, name } = policy;
  const { span, choose, noteChart } = useChartSpan();
  const [asked, chooseMetric] = useAskedMetric();
  const isKept = span.until !== null;
  const variables = { namespace, name, from: span.from, until: span.until };
  const marked = { ...variables, policy: { namespace, name }, namespaces: [namespace] };
  const answer = useAnswer(PolicyChartOverTimeDocument, variables, { isKept });
  const { data } = useAnswer(PolicyChartMarksDocument, marked, { isKept });
  const chart = answer.data?.policy?.chart ?? undefined;
  if (chart !== undefined) noteChart(chart);
  const metrics = chart?.metrics ?? noMetrics;
  const metric = metricShown(metrics, asked, decided);
  return (
    <Panel
      title={texts.title}
      answer={answer}
      query={queriesOf(variables, marked)}
      awaited="chart"
      tools={
        <>
          <ChartRanges span={span} onChoose={choose} />
          <MetricChoice metrics={metrics} shown={metric} onChoose={chooseMetric} />
        </>
      }
    >
      {chart === undefined ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ChartView
          chart={chart}
          metric={metric}
          marked={data}
          policy={policy}
          onZoom={(from, until) =>
            choose({ kind: 'Times', from: timeOf(1_000 * from), until: timeOf(1_000 * until) })
          }
        />
      )}
    </Panel>
  );
}

const noMetrics: Chart['metrics'] = [];

interface PolicyChartProps {
  readonly policy: Pick<PolicyOfPage, 'namespace' | 'name' | 'intervalSeconds' | 'document'>;
  /** The metrics that the latest decision came about by. */
  readonly decided: readonly DecidedMetric[];
}

function queriesOf(variables: object, marked: PolicyChartMarksQueryVariables) {
  return [
    { document: PolicyChartOverTimeDocument, variables },
    { document: PolicyChartMarksDocument, variables: marked },
  ];
}

/** The metric that the address names; another one stands in the place of the one before, not behind it. */
function useAskedMetric(): readonly [asked: string | null, choose: (key: string) => void] {
  const [parameters, changeParameters] = useParameters();
  const choose = useCallback(
    (key: string) =>
      changeParameters(
        (now) => {
          const next = new URLSearchParams(now);
          next.set('metric', key);
          return next;
        },
        { replace: true },
      ),
    [changeParameters],
  );
  return [parameters.get('metric'), choose];
}

/** Nothing where there is nothing to choose from. */
function MetricChoice({ metrics, shown, onChoose }: MetricChoiceProps): ReactElement | null {
  if (metrics.length < 2) return null;
  const keys = metricKeys(metrics);
  return (
    <label className="chart-metric">
      <span className="quiet">{texts.metric}</span>
      <select value={keys[shown]} onChange={({ target }) => onChoose(target.value)}>
        {keys.map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </select>
    </label>
  );
}

interface MetricChoiceProps {
  readonly metrics: Chart['metrics'];
  readonly shown: number;
  readonly onChoose: (key: string) => void;
}

/** Whether something happened in the time that is shown and is not marked. */
function areCut(data: PolicyChartMarksQuery | undefined): boolean {
  if (data === undefined) return false;
  const { own, operators, policy } = data;
  return own.pageInfo.hasNextPage || operators.pageInfo.hasNextPage || policy?.period?.isComplete === false;
}

/** What happened to the policy in the time that is shown. */
function useMarks(
  { namespace, name, intervalSeconds, document }: PolicyChartProps['policy'],
  chart: Chart,
  data: PolicyChartMarksQuery | undefined,
): readonly PlotMark[] {
  const windows = useWindowMarks(document, chart);
  return useMemo(() => {
    if (data === undefined) return [];
    const { interventions = [], syncs = [] } = data.policy?.period ?? {};
    const entries = [...data.own.edges, ...data.operators.edges].map(({ node }) => node);
    const steps = { ...chart, windows, interventions };
    return chartMarks([...entries, ...syncs], steps, { namespace, name, intervalSeconds });
  }, [chart, data, windows, namespace, name, intervalSeconds]);
}

/** Schedules and freezes, by the library that knows them, which is loaded where the policy has some. */
function useWindowMarks(document: unknown, chart: Chart): readonly PlotMark[] {
  const [marks, setMarks] = useState<readonly PlotMark[]>([]);
  const text = JSON.stringify(document);
  const {
    times: [from],
    until,
  } = chart;
  useEffect(() => {
    if (from === undefined || !/"(schedules|freeze)":/.test(text)) return undefined;
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

/** What of its time a chart does not show, and why. */
function Incomplete({
  chart: { isComplete, knownFrom, knownUntil },
}: Pick<ChartViewProps, 'chart'>): ReactElement | null {
  if (isComplete) return null;
  return (
    <p className="quiet">
      {knownFrom === null ? (
        <>
          {texts.knownUntil} <Timestamp time={knownUntil} />. {texts.incomplete}
        </>
      ) : (
        <>
          {texts.knownFrom} <Timestamp time={knownFrom} />.
        </>
      )}
    </p>
  );
}

interface ChartViewProps {
  readonly chart: Chart;
  /** Index of the one that is drawn; -1: there is none. */
  readonly metric: number;
  readonly marked: PolicyChartMarksQuery | undefined;
  readonly policy: PolicyChartProps['policy'];
  readonly onZoom: (from: number, until: number) => void;
}

function ChartView(props: ChartViewProps): ReactElement {
  const { chart, metric, marked, policy, onZoom } = props;
  const { intervalSeconds } = policy;
  const marks = useMarks(policy, chart, marked);
  const [pointed, setPointed] = useState<number | null>(null);
  const times = useMemo(() => chart.times.map((time) => Date.parse(time) / 1_000), [chart]);
  const shown = chart.metrics[metric];
  const lines = useMemo(() => chartLines(chart, shown, intervalSeconds), [chart, shown, intervalSeconds]);
  const last = chart.specReplicas.mean.findLastIndex((value) => value !== null);
  const index = Math.min(pointed ?? last, times.length - 1);
  return (
    <>
      {index < 0 ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ChartReadout chart={chart} metric={shown} index={index} />
      )}
      <Suspense fallback={<div className="skeleton" data-awaited="plot" />}>
        <TimePlot
          times={times}
          until={Date.parse(chart.until) / 1_000}
          lines={lines}
          marks={marks}
          axes={{ replicas: texts.replicas, metric: shown === undefined ? '' : axisLabel(shown) }}
          onPoint={setPointed}
          onZoom={onZoom}
        />
      </Suspense>
      <LineLegend lines={lines} />
      <MarkLegend marks={marks} />
      {areCut(marked) ? <p className="quiet">{texts.isCut}</p> : null}
      <Incomplete chart={chart} />
      <ChartTable chart={chart} />
    </>
  );
}
