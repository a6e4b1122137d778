import type { ReactElement } from 'react';
import { common } from '../../messages/common.ts';
import type { PlotLine } from './time-plot.tsx';

/** What the lines of a plot are, each name once. */
export function LineLegend({ lines }: { readonly lines: readonly PlotLine[] }): ReactElement {
  const named = new Map(lines.map((line) => [line.name, line]));
  return (
    <ul className="time-plot-legend" aria-label={common.lines}>
      {[...named.values()].map(({ name, colour, form }) => (
        <li key={name}>
          <svg className="line-sample" viewBox="0 0 22 8" width="22" height="8" aria-hidden="true">
            <path
              d="M0 4h22"
              stroke={`var(${colour})`}
              strokeWidth={form === 'step' ? 3 : 1.5}
              strokeDasharray={form === 'dashed' ? '4 3' : undefined}
            />
          </svg>{' '}
          {name}
        </li>
      ))}
    </ul>
  );
}
