import type { ReactElement } from 'react';
import { decision } from '../../messages/decision.ts';
import type { MetricPartsFragment } from './decision.generated.ts';
import { metricValues } from './metric-values.ts';
import { PodsView } from './pods-view.tsx';

const texts = decision.metrics;

/** The metrics of a decision: each against what it is held to, what it proposed, and the pods behind it. */
export function MetricsView({ metrics }: { readonly metrics: readonly MetricPartsFragment[] }): ReactElement {
  if (metrics.length === 0) return <p className="quiet">{texts.none}</p>;
  return (
    <ul className="metrics">
      {metrics.map((metric, index) => (
        // Two metrics can have one name; they never change places.
        <li key={`${index} ${metric.name}`} className="metric">
          <Metric metric={metric} />
        </li>
      ))}
    </ul>
  );
}

function Metric({ metric }: { readonly metric: MetricPartsFragment }): ReactElement {
  const { name, type, proposedReplicas, error, pods } = metric;
  const { value, target } = metricValues(metric);
  return (
    <>
      <p className="metric-line">
        <strong>{name}</strong> <span className="quiet">{type}</span>
        <span className="spring" />
        <span>{texts.asks(proposedReplicas)}</span>
      </p>
      {error === null ? null : <p className="problem">{error.message}</p>}
      {value === null || target === null ? null : <Gauge value={value} target={target} />}
      <p className="metric-line">
        {value === null ? null : <span>{value.text}</span>}
        <span className="spring" />
        {target === null ? null : (
          <span className="quiet">
            {target.marks.length > 1 ? texts.watermarks : texts.target} {target.text}
          </span>
        )}
      </p>
      <PodsView pods={pods} />
    </>
  );
}

/** What is shown beyond the greatest of value and marks. */
const room = 1.25;

function Gauge({ value, target }: GaugeProps): ReactElement {
  const most = Math.max(value.number, ...target.marks, Number.MIN_VALUE) * room;
  const at = (number: number): string => `${(100 * Math.max(0, number)) / most}%`;
  const isOver = target.marks.every((mark) => value.number > mark);
  return (
    <svg
      className="gauge"
      width="100%"
      height="16"
      role="img"
      aria-label={texts.gauge(value.text, target.text)}
      data-over={isOver}
    >
      <line className="gauge-axis" x1="0" x2="100%" y1="8" y2="8" />
      <line className="gauge-value" x1="0" x2={at(value.number)} y1="8" y2="8" />
      {target.marks.map((mark, index) => (
        // Both watermarks can be the same.
        <line key={`${index} ${mark}`} className="gauge-mark" x1={at(mark)} x2={at(mark)} y1="0" y2="16" />
      ))}
    </svg>
  );
}

interface GaugeProps {
  readonly value: { readonly text: string; readonly number: number };
  readonly target: { readonly text: string; readonly marks: readonly number[] };
}
