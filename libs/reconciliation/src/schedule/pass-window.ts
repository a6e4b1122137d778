import { UnderWay } from '#kernel';
import type { ClockPort } from '../ports/clock.port.ts';

/** A pass that takes longer, and waits for no ledger, waits for something that hangs, and is not counted any more. */
const countedMilliseconds = 500;

/** What waits so long for the ledger waits for one that hangs. */
const recordingMilliseconds = 10_000;

/** When no pass has come further for so long, what all of them wait for hangs. */
const stallMilliseconds = 50;

/** Where some wait for the ledger, the process or the machine is busy, and answers come late that are on their way. */
const stallBesideRecordingMilliseconds = 500;

/** So many times the loop serves what waits before what has not come counts as hanging. */
const turnsToStall = 8;

/** A pass under way. */
export interface RunningPass {
  readonly end: Promise<unknown>;
  /** Whether it waits for the ledger, which takes what waits in its turn: that more passes begin makes it no faster. */
  readonly isRecording: () => boolean;
}

/** Which of the passes that wait begin first. */
export type Precedence =
  /** Something changed that does not wait for the interval. */
  | 'Early'
  /** None of the policies was looked at by this process yet. */
  | 'First'
  | 'Regular';

const precedences: readonly Precedence[] = ['Early', 'First', 'Regular'];

/** Passes that wait for room. */
interface Waiting {
  readonly precedence: Precedence;
  readonly start: () => void;
}

/** Passes that began together. */
interface Group {
  /** Those that are counted, with what ends that. */
  readonly passes: Map<RunningPass, () => void>;
  readonly begunAt: number;
}

/**
 * Lets the passes of a sweep that wait for the same metric sources begin as those before them end, so that what they hold
 * while they wait, and the metrics of their namespaces, do not all exist at once. Where those under way hang, the others
 * begin all the same.
 */
export class PassWindow {
  readonly #clock: ClockPort;
  readonly #maximumUnderWay: () => number;
  /** By their precedence, and then as they came. */
  readonly #waiting: Waiting[] = [];
  /** Sweeps that have first passes to begin yet: regular ones begin after them. */
  #leading = 0;
  readonly #counted = new UnderWay<RunningPass>();
  #ended = 0;
  /** Passes stalled: all begin until few are under way. */
  #isOpen = false;
  #isWatched = false;

  /** @param maximumUnderWay how many passes may be under way when more are to begin; it is asked each time */
  constructor(clock: ClockPort, maximumUnderWay: () => number) {
    this.#clock = clock;
    this.#maximumUnderWay = maximumUnderWay;
  }

  /** Nothing is under way, and nothing waits. */
  get isIdle(): boolean {
    return this.#counted.size === 0 && this.#waiting.length === 0;
  }

  /** Whether more passes may begin now. */
  hasRoom(precedence: Precedence): boolean {
    if (this.#isOpen) return true;
    const isLed = precedence === 'Regular' && this.#leading > 0;
    return !isLed && this.#counted.size < this.#maximumUnderWay();
  }

  /** Lets no regular passes begin from now on, until what is returned is called: first ones are to. */
  lead(): () => void {
    this.#leading += 1;
    return () => {
      this.#leading -= 1;
      this.#letIn();
    };
  }

  /** Resolves when more passes may begin, those that come before others first. */
  async room(precedence: Precedence): Promise<void> {
    if (this.hasRoom(precedence)) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const rank = precedences.indexOf(precedence);
    const later = this.#waiting.findIndex((waiting) => precedences.indexOf(waiting.precedence) > rank);
    const place = later < 0 ? this.#waiting.length : later;
    this.#waiting.splice(place, 0, { precedence, start: () => resolve(undefined) });
    this.#watch();
    await promise;
  }

  /** Counts passes that have begun. */
  count(passes: readonly RunningPass[]): void {
    const counted = passes.map((pass) => [pass, this.#counted.add(pass)] as const);
    const group = { passes: new Map(counted), begunAt: this.#clock.monotonicMilliseconds() };
    let cancel = (): void => undefined;
    const lookLater = (): void => {
      cancel = this.#clock.schedule(countedMilliseconds, () => this.#letGo(group, lookLater));
    };
    lookLater();
    for (const pass of passes) {
      const end = (): void => {
        this.#ended += 1;
        const uncount = group.passes.get(pass);
        if (uncount === undefined) return;
        group.passes.delete(pass);
        if (group.passes.size === 0) cancel();
        this.#release([uncount]);
      };
      pass.end.then(end, end);
    }
  }

  /** Those that hang are not counted any more; those that only wait for their turn in the ledger are, for longer. */
  #letGo({ passes, begunAt }: Group, lookLater: () => void): void {
    const isLate = this.#clock.monotonicMilliseconds() - begunAt >= recordingMilliseconds;
    const hanging = [...passes].filter(([pass]) => isLate || !pass.isRecording());
    for (const [pass] of hanging) passes.delete(pass);
    if (passes.size > 0) lookLater();
    if (hanging.length > 0) this.#release(hanging.map(([, uncount]) => uncount));
  }

  #release(uncounts: readonly (() => void)[]): void {
    for (const uncount of uncounts) uncount();
    if (this.#counted.size < this.#maximumUnderWay() / 2) this.#isOpen = false;
    this.#letIn();
  }

  /** One at a time: what it begins is counted before the next is asked. */
  #letIn(): void {
    const [next] = this.#waiting;
    if (next === undefined || !this.hasRoom(next.precedence)) return;
    this.#waiting.shift();
    next.start();
  }

  /** Looks, for as long as any wait, whether passes come further. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const [ended, recording] = [this.#ended, this.#recording];
    const patience = recording > 0 ? stallBesideRecordingMilliseconds : stallMilliseconds;
    this.#clock.schedule(patience, () => void this.#look(ended, recording));
  }

  async #look(ended: number, before: number): Promise<void> {
    // A loop that is late has answers that came in time yet to read.
    for (let turn = 0; turn < turnsToStall; turn += 1) await this.#clock.nextTurn();
    this.#isWatched = false;
    if (this.#waiting.length === 0) return;
    const recording = this.#recording;
    if (this.#ended === ended && recording === before && recording < this.#counted.size) {
      this.#isOpen = true;
      for (const { start } of this.#waiting.splice(0)) start();
    } else {
      this.#watch();
    }
  }

  get #recording(): number {
    let count = 0;
    for (const pass of this.#counted) if (pass.isRecording()) count += 1;
    return count;
  }
}
