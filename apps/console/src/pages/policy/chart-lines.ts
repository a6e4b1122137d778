import type { PlotLine } from '../../components/charts/time-plot.tsx';
import { policy } from '../../messages/policy.ts';
import type { Chart } from './chart.ts';
import { heldOver, stepsOfOutage } from './chart-marks.ts';

const texts = policy.chart;

type Values = readonly (number | null)[];

/** The count with its bounds, and a metric with what it is held against. */
export function chartLines(
  chart: Chart,
  metric: Chart['metrics'][number] | undefined,
  intervalSeconds: number,
): readonly PlotLine[] {
  const { specReplicas, minReplicas, maxReplicas } = chart;
  const outage = stepsOfOutage(chart, intervalSeconds);
  const line = (values: Values, look: Omit<PlotLine, 'values'>): PlotLine => ({
    values: heldOver(values, outage),
    ...look,
  });
  const bound = {
    name: texts.bounds,
    scale: 'replicas',
    colour: '--text-quiet',
    form: 'dashed',
  } as const;
  return [
    line(minReplicas, bound),
    line(maxReplicas, bound),
    ...(metric === undefined ? [] : metricLines(metric, line)),
    line(specReplicas.mean, {
      name: texts.replicas,
      scale: 'replicas',
      colour: '--accent',
      form: 'step',
    }),
  ];
}

function metricLines(
  { name, mean, targets, lowWatermarks, highWatermarks }: Chart['metrics'][number],
  line: (values: Values, look: Omit<PlotLine, 'values'>) => PlotLine,
): readonly PlotLine[] {
  const look = { scale: 'metric', colour: '--metric' } as const;
  const held = [
    { values: targets, name: texts.held.target },
    { values: lowWatermarks, name: texts.held.watermarks },
    { values: highWatermarks, name: texts.held.watermarks },
  ];
  return [
    line(mean, { ...look, name, form: 'line' }),
    ...held
      .filter(({ values }) => values.some((value) => value !== null))
      .map(({ values, ...of }) => line(values, { ...look, ...of, form: 'dashed' })),
  ];
}
