import { sliceMilliseconds } from '#kernel';
import type { ClockPort } from '../ports/clock.port.ts';
import type { MetricsTick, NamespaceMetrics } from '../ports/metrics.port.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { comesSoon } from './comes-soon.ts';
import { LinePace } from './line-pace.ts';
import type { PassWindow, Precedence, RunningPass } from './pass-window.ts';
import type { PassWindows } from './pass-windows.ts';

/** After so many passes have begun, or once a slice of time is used up, the loop serves whatever else waits. */
const passesPerTurn = 32;

/** So many passes begin one after the other: a few milliseconds. */
const passesTogether = 16;

/** What is read of a namespace comes later than this from a slow source or a busy machine: more is then asked for ahead. */
const promptMilliseconds = 40;

/** A source that takes longer than this hangs: passes begin without what is read of it, and wait side by side. */
const patienceMilliseconds = 500;

/** As many namespaces are asked for ahead as a metrics API is asked for at a time. */
const maximumAhead = 8;

/** A pass that is due. */
export interface DuePass {
  readonly runtime: PolicyRuntime;
  /** Its interval has not elapsed. */
  readonly isEarly: boolean;
  /** This process has not looked at its policy yet. */
  readonly isFirst: boolean;
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
  /** In the order of namespaces. */
  readonly place: number;
}

/**
 * Begins due passes namespace by namespace, as the windows have room for them, so that what is read of a namespace is used
 * and let go before that of the last is read; those that are early come first. The metrics of a namespace are asked for
 * before its passes begin: a pass that finds them there holds nothing while it waits. Passes that wait for other metric
 * sources begin independently of each other. Resolves when all of them have ended.
 */
export async function beginPasses(due: readonly DuePass[], how: PassesToBegin): Promise<void> {
  const bySources = Map.groupBy(due, ({ runtime }) => runtime.sources);
  const order = orderOf(due);
  const lines = [...bySources.values()].map((passes) => groupsOf(passes, order));
  const windows = how.windows.open([...bySources.keys()]);
  const shared = {
    ...how,
    turns: new Turns(how.clock),
    namespaces: new SharedNamespaces(how.tick, lines.flat()),
    pace: new LinePace(lines.length),
  };
  const begun = windows.map(async (window, index) => {
    const line = new Line({ index, window, groups: lines[index] ?? [] }, shared);
    await line.begin();
  });
  await Promise.all(begun);
}

interface Shared extends PassesToBegin {
  readonly turns: Turns;
  readonly namespaces: SharedNamespaces;
  readonly pace: LinePace;
}

interface LineOptions {
  /** Among the lines. */
  readonly index: number;
  readonly window: PassWindow;
  readonly groups: readonly Group[];
}

/** The passes that wait for the same metric sources, in the order in which they begin. */
class Line {
  readonly #options: LineOptions;
  readonly #shared: Shared;
  readonly #ends: Promise<unknown>[] = [];
  #begun = 0;
  /** What was asked for of the next groups, in their order. */
  readonly #asked: Promise<void>[] = [];
  /** How many groups are asked for before they begin. */
  #ahead = 1;
  /** What is read of a namespace hangs: no group waits for it any more. */
  #isHanging = false;
  /** Some of its passes are first ones: none of them comes after those of another sweep. */
  readonly #isFirst: boolean;

  constructor(options: LineOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
    this.#isFirst = options.groups.some(({ passes }) => passes.some(({ isFirst }) => isFirst));
  }

  /** Resolves when all of them have ended. */
  async begin(): Promise<void> {
    const endLead = this.#isFirst ? this.#options.window.lead() : undefined;
    try {
      await this.#beginGroups();
    } finally {
      endLead?.();
      this.#shared.pace.letGo(this.#options.index);
    }
    await Promise.all(this.#ends);
  }

  async #beginGroups(): Promise<void> {
    const { index, groups } = this.#options;
    const { namespaces, pace } = this.#shared;
    for (const [at, group] of groups.entries()) {
      await pace.reach(index, group.place);
      for (const next of groups.slice(this.#asked.length, at + 1 + this.#ahead))
        this.#asked.push(this.#prepare(next));
      await this.#awaitPrepared(this.#asked[at]);
      await this.#room(group);
      await this.#beginGroup(group, namespaces.take(group.namespace));
    }
  }

  /** Early passes wait for nothing but what they need themselves. */
  #prepare(group: Group): Promise<void> {
    if (group.isEarly || this.#isHanging) return Promise.resolve();
    return this.#shared.namespaces.prepare(group);
  }

  /** Other lines wait for none that waits for long. */
  async #awaitPrepared(ready: Promise<void> | undefined): Promise<void> {
    const { clock, pace } = this.#shared;
    if (ready === undefined || this.#isHanging || (await comesSoon(clock, ready, promptMilliseconds))) return;
    this.#ahead = Math.min(this.#ahead * 2, maximumAhead);
    pace.letGo(this.#options.index);
    this.#isHanging = !(await comesSoon(clock, ready, patienceMilliseconds - promptMilliseconds));
    pace.rejoin(this.#options.index);
  }

  async #beginGroup(group: Group, metrics: NamespaceMetrics): Promise<void> {
    const { turns, begin } = this.#shared;
    const { passes } = group;
    for (let at = 0; at < passes.length; at += passesPerTurn) {
      if (at > 0) await this.#room(group);
      const running: RunningPass[] = [];
      for (const pass of passes.slice(at, at + passesPerTurn)) {
        while (turns.isUsedUp) await turns.next();
        turns.note();
        const run = begin(pass, metrics);
        if (run === null) continue;
        running.push({ end: run, isRecording: () => pass.runtime.isAppendUnanswered });
        this.#begun += 1;
        // Those that were begun go on here, so that what they take counts; together they share a batch of the ledger.
        if (this.#begun % passesTogether === 0) await Promise.resolve();
      }
      this.#options.window.count(running);
      this.#ends.push(...running.map(({ end }) => end));
    }
  }

  #precedenceOf({ isEarly }: Group): Precedence {
    if (isEarly) return 'Early';
    return this.#isFirst ? 'First' : 'Regular';
  }

  async #room(group: Group): Promise<void> {
    const { index, window } = this.#options;
    const precedence = this.#precedenceOf(group);
    if (window.hasRoom(precedence)) return;
    this.#shared.pace.letGo(index);
    await window.room(precedence);
    this.#shared.pace.rejoin(index);
  }
}

/** The places of groups, by {@link placeKey}: those that are early first, and each namespace as it comes. */
function orderOf(due: readonly DuePass[]): ReadonlyMap<string, number> {
  const keys = [true, false].flatMap((isEarly) =>
    due
      .filter((pass) => pass.isEarly === isEarly)
      .map(({ runtime }) => placeKey(runtime.target.namespace, isEarly)),
  );
  return new Map([...new Set(keys)].map((key, place) => [key, place]));
}

function placeKey(namespace: string, isEarly: boolean): string {
  return `${namespace} ${isEarly}`;
}

/** Those that are early first, each namespace once among them and once among the others. */
function groupsOf(due: readonly DuePass[], order: ReadonlyMap<string, number>): readonly Group[] {
  const groups = [true, false].flatMap((isEarly) => {
    const wanted = due.filter((pass) => pass.isEarly === isEarly);
    const byNamespace = Map.groupBy(wanted, ({ runtime }) => runtime.target.namespace);
    return [...byNamespace].map(([namespace, passes]) => {
      const place = order.get(placeKey(namespace, isEarly)) ?? 0;
      return { namespace, isEarly, passes, place };
    });
  });
  return groups.toSorted((a, b) => a.place - b.place);
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

  /** Asks for what the passes of a group share. */
  prepare({ namespace, passes }: Group): Promise<void> {
    const metrics = this.#open.get(namespace) ?? this.#tick.openNamespace();
    this.#open.set(namespace, metrics);
    const policies = passes.map(({ runtime }) => runtime.active.policy);
    return metrics.prepare(policies.filter(({ enabled }) => enabled));
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
