import type { ReactElement } from 'react';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import type { Chart } from './chart.ts';

const texts = policy.chart;

/** What the passes of a step saw, exactly. */
export function ChartReadout({ chart, metric, index }: ChartReadoutProps): ReactElement {
  const { specReplicas, minReplicas, maxReplicas } = chart;
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
            {texts.units[metric.measure]}
            {texts.against(metric.targets[index], metric.lowWatermarks[index], metric.highWatermarks[index])}
          </span>
        </span>
      )}
    </p>
  );
}

interface ChartReadoutProps {
  readonly chart: Chart;
  /** The one that is drawn. */
  readonly metric: Chart['metrics'][number] | undefined;
  readonly index: number;
}
