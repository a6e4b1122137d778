import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { messageOf } from '#kernel';
import type { StartStep } from './start-step.ts';

/** What a step that names no limit has to close in. */
const stepMilliseconds = 3_000;

/** All steps together: Kubernetes kills 30 s after it has asked, and `stop-signal.ts` gives up before. */
const closingMilliseconds = 20_000;

/** What every step has, also when those before it took all of the time. */
const leastMilliseconds = 500;

/** Who is told how everything was closed. */
export interface ClosingReports {
  /**
   * What was closed, in that order, with what it took: `http 12 ms`; not where the start failed, whose reason stands
   * alone.
   */
  readonly onClosed?: (closed: readonly string[]) => void;
  /** What could not be closed, in words. Absent: it is thrown. */
  readonly onUnclosed?: (failures: readonly string[]) => void;
}

/**
 * The one place that opens sockets, files, locks, timers and epochs: its steps run in their written order when Nest has
 * constructed everything, and are closed in reverse, at the end and where one fails.
 *
 * @see docs/adr/0009-the-start-is-written-in-order.md
 */
export class StartUp implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #steps: readonly StartStep[];
  readonly #opened: StartStep[] = [];
  readonly #ending = new AbortController();
  #starting: Promise<void> | undefined;
  #hasStarted = false;
  #closing: Promise<void> | undefined;

  readonly #reports: ClosingReports;

  constructor(steps: readonly StartStep[], reports: ClosingReports = {}) {
    this.#steps = steps;
    this.#reports = reports;
  }

  /** @throws what a step failed with, after everything that was opened is closed again, as far as it can be. */
  async onApplicationBootstrap(): Promise<void> {
    this.#starting = this.#open();
    await this.#starting;
  }

  /** Ends a start under way. Nest calls the destroy hooks only after it, so it is ended first. */
  end(): void {
    this.#ending.abort(new Error('the controller is ending'));
  }

  /**
   * Ends a start under way, then closes everything; once, however often it is called.
   *
   * @throws AggregateError of what could not be closed, where nobody is told of it
   */
  async onModuleDestroy(): Promise<void> {
    this.end();
    await this.#starting?.catch(() => undefined);
    await this.#close();
  }

  async #open(): Promise<void> {
    try {
      for (const step of this.#steps) {
        this.#ending.signal.throwIfAborted();
        this.#opened.push(step);
        await step.open(this.#ending.signal);
      }
      this.#hasStarted = true;
    } catch (error) {
      // What cannot be closed must not hide why the start failed; the destroy hook throws it again.
      await this.#close().catch(() => undefined);
      throw error;
    }
  }

  #close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  /** A step that cannot be closed, or hangs, keeps none from being closed; all failures are told at the end. */
  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    const closed: string[] = [];
    const end = performance.now() + closingMilliseconds;
    for (const step of this.#opened.reverse()) {
      const since = performance.now();
      try {
        await closeWithin(step, end - performance.now());
      } catch (error) {
        failures.push(error);
      }
      if (step.close !== undefined) closed.push(`${step.name} ${Math.round(performance.now() - since)} ms`);
    }
    const { onClosed, onUnclosed } = this.#reports;
    if (this.#hasStarted) onClosed?.(closed);
    if (failures.length === 0) return;
    const reasons = failures.map(messageOf);
    if (onUnclosed === undefined) throw new AggregateError(failures, reasons.join('; '));
    onUnclosed(reasons);
  }
}

/** @throws Error naming the step that did not close in its time, or could not be closed. */
async function closeWithin(
  { name, close, closeMilliseconds = stepMilliseconds }: StartStep,
  leftMilliseconds: number,
): Promise<void> {
  if (close === undefined) return;
  const milliseconds = Math.max(leastMilliseconds, Math.min(closeMilliseconds, leftMilliseconds));
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${name} did not close within ${Math.round(milliseconds)} ms`)),
    milliseconds,
  );
  try {
    await Promise.race([
      close().catch((error: unknown) => {
        throw new Error(`${name} could not be closed: ${messageOf(error)}`, { cause: error });
      }),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
