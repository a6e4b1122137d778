import { sliceMilliseconds } from '#kernel';
import type { ClockPort } from '../ports/clock.port.ts';
import type { MetricsTick, NamespaceMetrics } from '../ports/metrics.port.ts';
import type { PassWindow, RunningPass } from './pass-window.ts';
import type { PassWindows } from './pass-windows.ts';
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
  readonly windows: PassWindows;
  readonly tick: MetricsTick;
  /** Begins one, with the metrics of its namespace; null where there is none to begin any more. */
  readonly begin: (pass: DuePass, metrics: NamespaceMetrics) => Promise<void> | null;
}

/** Passes of one namespace that wait for the same metric sources. */
interface Group {
  readonly namespace: string;
  readonly isEarly: boolean;
  readonly passes: readonly DuePass[];
}

/**
 * Begins due passes namespace by namespace, as the windows have room for them, so that what is read of a namespace is used
 * and let go before that of the last is read; those that are early come first. Passes that wait for other metric sources
 * begin independently of each other. Resolves when all of them have ended.
 */
export async function beginPasses(due: readonly DuePass[], how: PassesToBegin): Promise<void> {
  const bySources = Map.groupBy(due, ({ runtime }) => runtime.sources);
  const lines = [...bySources.values()].map(groupsOf);
  const windows = how.windows.open([...bySources.keys()]);
  const shared = {
    ...how,
    turns: new Turns(how.clock),
    namespaces: new SharedNamespaces(how.tick, lines.flat()),
  };
  await Promise.all(windows.map((window, line) => beginInLine(window, lines[line] ?? [], shared)));
}

interface Shared extends PassesToBegin {
  readonly turns: Turns;
  readonly namespaces: SharedNamespaces;
}

async function beginInLine(window: PassWindow, groups: readonly Group[], shared: Shared): Promise<void> {
  const { turns, namespaces, begin } = shared;
  const ends: Promise<unknown>[] = [];
  let begun = 0;
  for (const { namespace, isEarly, passes } of groups) {
    await window.room(isEarly);
    const metrics = namespaces.take(namespace);
    for (let at = 0; at < passes.length; at += passesPerTurn) {
      if (at > 0) await window.room(isEarly);
      const running: RunningPass[] = [];
      for (const pass of passes.slice(at, at + passesPerTurn)) {
        while (turns.isUsedUp) await turns.next();
        turns.note();
        const run = begin(pass, metrics);
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

/** Those that are early first, each namespace once among them and once among the others. */
function groupsOf(due: readonly DuePass[]): readonly Group[] {
  return [true, false].flatMap((isEarly) => {
    const wanted = due.filter((pass) => pass.isEarly === isEarly);
    const byNamespace = Map.groupBy(wanted, ({ runtime }) => runtime.target.namespace);
    return [...byNamespace].map(([namespace, passes]) => ({ namespace, isEarly, passes }));
  });
}

/** What is read of a namespace, for all groups of it that have not begun yet. */
class SharedNamespaces {
  readonly #tick: MetricsTick;
  readonly #left = new Map<string, number>();
  readonly #open = new Map<string, NamespaceMetrics>();

  constructor(tick: MetricsTick, groups: readonly Group[]) {
    this.#tick = tick;
    for (const { namespace } of groups) this.#left.set(namespace, (this.#left.get(namespace) ?? 0) + 1);
  }

  /** For the next group of the namespace; after the last it is its passes alone that keep it. */
  take(namespace: string): NamespaceMetrics {
    const metrics = this.#open.get(namespace) ?? this.#tick.openNamespace();
    const left = (this.#left.get(namespace) ?? 1) - 1;
    this.#left.set(namespace, left);
    if (left > 0) this.#open.set(namespace, metrics);
    else this.#open.delete(namespace);
    return metrics;
  }
}

/** How much of a turn of the event loop beginning passes may take, all of them together. */
class Turns {
  readonly #clock: ClockPort;
  #begun = 0;
  #startedAt: number;
  #next: Promise<void> | null = null;

  constructor(clock: ClockPort) {
    this.#clock = clock;
    this.#startedAt = clock.monotonicMilliseconds();
  }

  get isUsedUp(): boolean {
    return (
      this.#begun >= passesPerTurn ||
      this.#clock.monotonicMilliseconds() - this.#startedAt >= sliceMilliseconds
    );
  }

  /** Notes a pass that begins. */
  note(): void {
    this.#begun += 1;
  }

  /** Resolves in the next turn, in which passes may begin again; also for others that wait for it. */
  async next(): Promise<void> {
    this.#next ??= this.#clock.nextTurn().then(() => {
      this.#begun = 0;
      this.#startedAt = this.#clock.monotonicMilliseconds();
      this.#next = null;
    });
    await this.#next;
  }
}
