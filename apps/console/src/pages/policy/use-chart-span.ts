import { useCallback, useEffect, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { useParameters } from '../../navigation/use-parameters.ts';
import { type ChosenSpan, hoursMilliseconds, spanIn, timeOf, withSpan } from './chart-span.ts';

/** What of the time is asked for. */
export interface AskedSpan {
  readonly chosen: ChosenSpan;
  readonly from: string;
  /** Null: the present, whenever that is. */
  readonly until: string | null;
  /** Of the hours that were chosen only the end is shown: a younger policy has no more. */
  readonly isPart: boolean;
}

interface ChartSpan {
  readonly span: AskedSpan;
  readonly choose: (span: ChosenSpan) => void;
  /** To be told each chart that was answered: until a person chooses, a young policy is shown from its first pass on. */
  readonly noteChart: (chart: SeenChart) => void;
}

/** What of a chart says when its first pass was. */
interface SeenChart {
  readonly times: readonly string[];
  readonly until: string;
  readonly specReplicas: { readonly mean: readonly (number | null)[] };
}

/** The last hours begin anew after a quarter of them, and no more often than this. */
const leastMilliseconds = 300_000;

/** Shown at least, so that a policy's first seconds are not drawn as wide as an hour. */
const leastMinutes = 1;

/** The span of the address, which a choice adds to the browser's history: going back is going back to the span before. */
export function useChartSpan(): ChartSpan {
  const [parameters, changeParameters] = useParameters();
  const [firstPass, setFirstPass] = useState<string | undefined>();
  const chosen = spanIn(parameters);
  const since = useBeginning(chosen.kind === 'Times' ? 1 : chosen.hours);
  const choose = useCallback(
    (span: ChosenSpan) => changeParameters((now) => withSpan(now, span)),
    [changeParameters],
  );
  const noteChart = (chart: SeenChart): void => {
    const late = chosen.kind === 'Usual' && firstPass === undefined ? lateFirstPass(chart) : undefined;
    if (late !== undefined) setFirstPass(late);
  };
  return { span: askedFor(chosen, since, firstPass), choose, noteChart };
}

function askedFor(chosen: ChosenSpan, since: string, firstPass: string | undefined): AskedSpan {
  if (chosen.kind === 'Times') return { chosen, from: chosen.from, until: chosen.until, isPart: false };
  const isPart = chosen.kind === 'Usual' && firstPass !== undefined && firstPass > since;
  return { chosen, from: isPart ? firstPass : since, until: null, isPart };
}

/** So many hours ago. It follows the time, or the last hour would be the last two for who leaves the page open. */
function useBeginning(hours: number): string {
  const [beginning, setBeginning] = useState(() => beginningOf(hours));
  if (beginning.hours !== hours) setBeginning(beginningOf(hours));
  useEffect(() => {
    const wait = Math.max(leastMilliseconds, hoursMilliseconds(hours) / 4);
    const timer = setInterval(() => setBeginning(beginningOf(hours)), wait);
    return () => clearInterval(timer);
  }, [hours]);
  return beginning.from;
}

function beginningOf(hours: number): { readonly hours: number; readonly from: string } {
  return { hours, from: timeOf(serverNow() - hoursMilliseconds(hours)) };
}

/** Of what was asked for, what may be empty before the first pass. */
const emptyPart = 0.2;

/** From when on to look at a policy whose first pass lies later than that; undefined: it does not. */
function lateFirstPass({ times, until, specReplicas: { mean } }: SeenChart): string | undefined {
  const first = mean.findIndex((value) => value !== null);
  if (first < times.length * emptyPart) return undefined;
  const [firstTime, end] = [Date.parse(times[first] ?? until), Date.parse(until)];
  return timeOf(end - Math.max(leastMinutes * 60_000, 1.1 * (end - firstTime)));
}
