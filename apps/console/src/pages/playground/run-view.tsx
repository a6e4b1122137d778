import { type ReactElement, Suspense, useMemo, useState } from 'react';
import type { EffectivePolicy } from '#policy';
import { LineLegend } from '../../components/charts/line-legend.tsx';
import type { PlotLine } from '../../components/charts/time-plot.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { playground } from '../../messages/playground.ts';
import { policy as policyTexts } from '../../messages/policy.ts';
import type { Run, RunChange } from './run-curve.ts';

import '../../components/charts/time-plot.css';

const TimePlot = lazyPart(() => import('../../components/charts/time-plot.tsx'));

const texts = playground.run;

/** As many as are read; the chart shows all. */
const maximumRows = 100;

interface RunViewProps {
  readonly run: Run;
  readonly policy: EffectivePolicy;
  /** The change whose decision is shown elsewhere. */
  readonly chosen: RunChange | undefined;
  readonly onChoose: (change: RunChange) => void;
}

/** What a policy came to under a load: charted, and each change of the count with its decision. */
export function RunView({ run, policy, chosen, onChoose }: RunViewProps): ReactElement {
  const [pointed, setPointed] = useState<number | null>(null);
  const lines = useMemo(() => linesOf(run, policy), [run, policy]);
  const last = run.times.length - 1;
  const { undecidedReason } = run;
  return (
    <>
      <p>
        <strong>{texts.summary(run.times.length, run.changeCount)}</strong>,{' '}
        {texts.between(least(run.replicas), most(run.replicas))}.
      </p>
      {undecidedReason === undefined ? null : (
        <p className="problem">{texts.undecided(run.undecided, undecidedReason)}</p>
      )}
      {run.isCut ? <p className="problem">{texts.cut}</p> : null}
      <Readout run={run} index={Math.min(pointed ?? last, last)} />
      <Suspense fallback={<div className="skeleton" data-awaited="plot" />}>
        <TimePlot
          times={run.times}
          until={(run.times[last] ?? 0) + run.intervalSeconds}
          lines={lines}
          marks={noMarks}
          axes={{ replicas: texts.lines.replicas, metric: metricLabel(run, policy) }}
          onPoint={setPointed}
          onZoom={doNothing}
        />
      </Suspense>
      <LineLegend lines={lines} />
      <Changes run={run} chosen={chosen} onChoose={onChoose} />
    </>
  );
}

/** With its unit, where it has one. */
function metricLabel({ metric: { name } }: Run, { metrics: [metric] }: EffectivePolicy): string {
  const type = metric === undefined ? undefined : metric.target.type;
  const unit = type === undefined ? '' : policyTexts.chart.units[type];
  return unit === '' ? name : `${name}, ${unit}`;
}

const noMarks: readonly never[] = [];

function doNothing(): void {
  // The whole run is in sight.
}

function least(values: readonly number[]): number {
  return values.reduce((lowest, value) => Math.min(lowest, value), Infinity);
}

function most(values: readonly number[]): number {
  return values.reduce((highest, value) => Math.max(highest, value), 0);
}

/** The count within its bounds, the pods that are ready, and the first metric with what it is held to. */
function linesOf({ times, replicas, ready, metric }: Run, policy: EffectivePolicy): readonly PlotLine[] {
  const all = (value: number): readonly number[] => times.map(() => value);
  const bound = {
    name: texts.lines.bounds,
    scale: 'replicas',
    colour: '--text-quiet',
    form: 'dashed',
  } as const;
  const measured = { scale: 'metric', colour: '--metric' } as const;
  return [
    { values: all(policy.minReplicas), ...bound },
    // A maximum far above what happens would leave no room for it.
    ...(policy.maxReplicas <= 2 * most(replicas) ? [{ values: all(policy.maxReplicas), ...bound }] : []),
    { name: metric.name, values: metric.values, ...measured, form: 'line' },
    ...metric.marks.map((mark): PlotLine => ({
      name: texts.lines.held(metric.marks.length),
      values: all(mark),
      ...measured,
      form: 'dashed',
    })),
    { name: texts.lines.ready, values: ready, scale: 'replicas', colour: '--text-quiet', form: 'line' },
    { name: texts.lines.replicas, values: replicas, scale: 'replicas', colour: '--accent', form: 'step' },
  ];
}

function Readout({ run, index }: { readonly run: Run; readonly index: number }): ReactElement {
  const { metric } = run;
  const value = metric.values[index] ?? null;
  return (
    <p className="chart-readout">
      <span>{afterText(run, index)}</span>
      <span data-line="replicas">
        {texts.readout.replicas} <strong>{run.replicas[index]}</strong>
      </span>
      <span className="quiet">
        {run.ready[index]} {texts.readout.ready}
      </span>
      <span data-line="metric">
        {metric.name} <strong>{value === null ? '–' : Math.round(value * 100) / 100}</strong>
      </span>
      <span className="quiet">
        {texts.readout.load} {Math.round(run.loadPercent[index] ?? 0)} %
      </span>
    </p>
  );
}

/** How long after the start a pass was: `1:05:30`. */
export function afterText({ times }: Run, index: number): string {
  const seconds = Math.round((times[index] ?? 0) - (times[0] ?? 0));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(rest)}`;
}

function Changes({ run, chosen, onChoose }: Omit<RunViewProps, 'policy'>): ReactElement {
  if (run.changes.length === 0) return <p className="quiet">{texts.noChanges}</p>;
  const shown = run.changes.slice(0, maximumRows);
  return (
    // It scrolls, so it is reached by keys.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="playground-changes" role="region" aria-label={texts.changes} tabIndex={0}>
      <table className="evaluation-table">
        <thead>
          <tr>
            <th scope="col">{texts.after}</th>
            <th scope="col">{texts.count}</th>
            <th scope="col">{texts.why}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((change) => {
            const { index, decision } = change;
            return (
              <tr key={index} aria-current={change === chosen}>
                <td>{afterText(run, index)}</td>
                <td>
                  <button type="button" className="link" onClick={() => onChoose(change)}>
                    {texts.show(String(decision.currentReplicas), String(decision.desiredReplicas))}
                  </button>
                </td>
                <td>{decision.reason}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {run.changeCount > shown.length ? (
        <p className="quiet">{texts.others(shown.length, run.changeCount)}</p>
      ) : null}
    </div>
  );
}
