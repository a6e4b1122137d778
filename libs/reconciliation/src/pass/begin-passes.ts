import { sliceMilliseconds } from '#kernel';
import type { ClockPort } from '../ports/clock.port.ts';
import type { MetricsTick, NamespaceMetrics } from '../ports/metrics.port.ts';
import type { PassWindow, RunningPass } from './pass-window.ts';
import type { PolicyRuntime } from './policy-runtime.ts';

/** After so many passes have begun, or once a slice of time is used up, the loop serves whatever else waits. */
const passesPerTurn = 64;

/** So many passes begin one after the other: a few milliseconds. */
const passesTogether = 16;

/** A pass that is due. */
export interface DuePass {
  readonly runtime: PolicyRuntime;
  /** Its interval has not elapsed. */
  readonly isEarly: boolean;
}

/** How passes begin. */
export interface PassesToBegin {
  readonly clock: ClockPort;
  readonly window: PassWindow;
  readonly tick: MetricsTick;
  /** Begins one, with the metrics of its namespace; null where there is none to begin any more. */
  readonly begin: (pass: DuePass, metrics: NamespaceMetrics) => Promise<void> | null;
}

/**
 * Begins due passes namespace by namespace, as the window has room for them, so that what is read of a namespace is used
 * and let go before that of the last is read; those that are early come first. Resolves when all of them have ended.
 */
export async function beginPasses(due: readonly DuePass[], how: PassesToBegin): Promise<void> {
  const { clock, window, tick } = how;
  const ends: Promise<unknown>[] = [];
  let [started, begun] = [clock.monotonicMilliseconds(), 0];
  for (const { isEarly, passes } of groupsOf(due)) {
    const metrics = tick.openNamespace();
    for (let at = 0; at < passes.length; at += passesPerTurn) {
      await window.room(isEarly);
      const running: RunningPass[] = [];
      for (const pass of passes.slice(at, at + passesPerTurn)) {
        if (begun === passesPerTurn || clock.monotonicMilliseconds() - started >= sliceMilliseconds) {
          await clock.nextTurn();
          [started, begun] = [clock.monotonicMilliseconds(), 0];
        }
        const run = how.begin(pass, metrics);
        if (run === null) continue;
        running.push({ end: run, isRecording: () => pass.runtime.isAppendUnanswered });
        begun += 1;
        // Those that were begun go on here, so that what they take counts; together they share a batch of the ledger.
        if (begun % passesTogether === 0) await Promise.resolve();
      }
      window.count(running);
      ends.push(...running.map(({ end }) => end));
    }
  }
  await Promise.all(ends);
}

function groupsOf(
  due: readonly DuePass[],
): readonly { readonly isEarly: boolean; readonly passes: readonly DuePass[] }[] {
  return [true, false].flatMap((isEarly) => {
    const wanted = due.filter((pass) => pass.isEarly === isEarly);
    const byNamespace = Map.groupBy(wanted, ({ runtime }) => runtime.target.namespace);
    return [...byNamespace.values()].map((passes) => ({ isEarly, passes }));
  });
}
