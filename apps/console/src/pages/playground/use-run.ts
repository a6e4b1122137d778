import { useEffect, useState } from 'react';
import type { DecideInput } from '#decision';
import { runInTimeSlices } from '#kernel';
import type { LoadAt } from './load-curve.ts';
import { type Run, runCurve, type RunProblem } from './run-curve.ts';

/** What is known of a run: the newest result stays while the next one is computed. */
export type RunState =
  | { readonly kind: 'Running'; readonly before: Run | undefined }
  | { readonly kind: 'Done'; readonly run: Run }
  | { readonly kind: 'Refused'; readonly problem: RunProblem };

/** Typing goes on: a run begins when it rests. */
const restMilliseconds = 150;

interface RunOptions {
  readonly minutes: number;
  readonly podStartSeconds: number;
}

/** Runs a policy under a load, in slices between which the page does all else. Undefined: there is nothing to run. */
export function useRun(
  base: DecideInput | undefined,
  loadAt: LoadAt | undefined,
  { minutes, podStartSeconds }: RunOptions,
): RunState | undefined {
  const [state, setState] = useState<RunState | undefined>();
  useEffect(() => {
    const aborter = new AbortController();
    if (base === undefined || loadAt === undefined) return undefined;
    const timer = setTimeout(() => {
      const steps = runCurve({ base, loadAt, minutes, podStartSeconds });
      if (!steps.ok) {
        setState({ kind: 'Refused', problem: steps.error });
        return;
      }
      setState((last) => ({ kind: 'Running', before: last?.kind === 'Done' ? last.run : undefined }));
      runInTimeSlices(steps.value, sliceClock(aborter.signal), 'run').then(
        (run) => setState({ kind: 'Done', run }),
        (error: unknown) => {
          if (!aborter.signal.aborted) throw error;
        },
      );
    }, restMilliseconds);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [base, loadAt, minutes, podStartSeconds]);
  return base === undefined || loadAt === undefined ? undefined : state;
}

/** Between slices the page's own tasks run; a run that was overtaken ends there. */
function sliceClock(signal: AbortSignal): Parameters<typeof runInTimeSlices>[1] {
  return {
    monotonicMilliseconds: () => performance.now(),
    nextTurn: () =>
      new Promise((resolve, reject) => {
        setTimeout(() => {
          if (signal.aborted) reject(new DOMException('overtaken', 'AbortError'));
          else resolve();
        });
      }),
    noteWork: () => undefined,
  };
}
