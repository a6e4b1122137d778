import type { ReactElement } from 'react';
import { type MarkKind, markKinds, type PlotMark } from '../../components/charts/plot-marks.ts';
import { policy } from '../../messages/policy.ts';

const texts = policy.chart;

/** What the signs of the marks mean, of those that are there. */
export function MarkLegend({ marks }: { readonly marks: readonly PlotMark[] }): ReactElement | null {
  const kinds = new Set(marks.map(({ kind }) => kind));
  if (kinds.size === 0) return null;
  const shown = (Object.keys(markKinds) as MarkKind[]).filter((kind) => kinds.has(kind));
  return (
    <ul className="time-plot-legend" aria-label={texts.legend}>
      {shown.map((kind) => (
        <li key={kind}>
          <span className="time-plot-sign" data-kind={kind} aria-hidden="true">
            {markKinds[kind].sign}
          </span>{' '}
          {texts.marks[kind]}
        </li>
      ))}
    </ul>
  );
}
