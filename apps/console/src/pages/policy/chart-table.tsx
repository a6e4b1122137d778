import type { ReactElement } from 'react';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { policy } from '../../messages/policy.ts';

const texts = policy.chart;

type Values = readonly (number | null)[];

/** What a chart shows, as far as the table goes. */
interface TableProps {
  readonly chart: {
    readonly times: readonly string[];
    readonly minReplicas: Values;
    readonly maxReplicas: Values;
    readonly specReplicas: { readonly mean: Values };
    readonly metrics: readonly { readonly name: string; readonly measure: string; readonly mean: Values }[];
  };
}

/** The chart in words, for those who do not see it or want its figures. */
export function ChartTable({ chart }: TableProps): ReactElement {
  const { times, minReplicas, maxReplicas, specReplicas, metrics } = chart;
  const seen = times
    .map((time, index) => ({ time, index }))
    .filter(({ index }) => specReplicas.mean[index] !== null);
  return (
    <details className="chart-table">
      <summary>{texts.table}</summary>
      <table className="scalings">
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.replicas}</th>
            <th scope="col">{texts.bounds}</th>
            {metrics.map(({ name, measure }) => (
              <th key={`${name} ${measure}`} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {seen.map(({ time, index }) => (
            <tr key={time}>
              <td>
                <Timestamp time={time} />
              </td>
              <td>{texts.number(specReplicas.mean[index])}</td>
              <td>
                {texts.number(minReplicas[index])}–{texts.number(maxReplicas[index])}
              </td>
              {metrics.map(({ name, measure, mean }) => (
                <td key={`${name} ${measure}`}>{texts.number(mean[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
