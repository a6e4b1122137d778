import type { Logger } from 'pino';
import { AdapterError } from '#kernel';

/** Something to be asked of a forge; `attempt` counts from 1. */
export interface ForgeTask {
  /** What it is about: a later task of the same key takes the place of one that waits. */
  readonly key: string;
  readonly source: string;
  /** For the log, when it is given up: `the commit status`. */
  readonly what: string;
  readonly run: (attempt: number) => Promise<void>;
}

/** Tasks under way at a time, of all forges; a controller that has fallen behind drops the newest. */
const maximumTasks = 200;

/** With waits of 2, 8, 32, 128, 512 and then 900 seconds: an hour, after which a rate limit has ended too. */
const maximumAttempts = 9;
const firstWaitMilliseconds = 2_000;
const longestWaitMilliseconds = 900_000;

/** Rate limits begin anew within the hour: whatever a forge says, it is asked again then. */
const longestPauseMilliseconds = 3_600_000;

interface Slot {
  task: ForgeTask;
  attempt: number;
  /** Ends the wait for the next attempt; undefined while an attempt runs. */
  cancelWait: (() => void) | undefined;
  next: ForgeTask | undefined;
}

/** What the queue stands on; `wait` calls back after so many milliseconds and returns what prevents it. */
export interface ForgeTasksParts {
  readonly wait: (milliseconds: number, callback: () => void) => () => void;
  readonly logger: Logger;
}

/** Carries out what is asked of forges, beside everything else: tried again with growing waits, then given up. */
export class ForgeTasks {
  readonly #parts: ForgeTasksParts;
  readonly #slots = new Map<string, Slot>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(parts: ForgeTasksParts) {
    this.#parts = parts;
  }

  /** Never throws and never waits. */
  put(task: ForgeTask): void {
    if (this.#isStopped) return;
    const slot = this.#slots.get(task.key);
    if (slot !== undefined) this.#replace(slot, task);
    else if (this.#slots.size >= maximumTasks) this.#tell(task, 'TooManyTasks');
    else this.#begin(task);
  }

  /** Waits for requests under way; what waits for another attempt is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { cancelWait } of this.#slots.values()) cancelWait?.();
    this.#slots.clear();
    await Promise.all(this.#running);
  }

  #begin(task: ForgeTask): void {
    const slot: Slot = { task, attempt: 1, cancelWait: undefined, next: undefined };
    this.#slots.set(task.key, slot);
    this.#attempt(slot);
  }

  #replace(slot: Slot, task: ForgeTask): void {
    if (slot.cancelWait === undefined) {
      slot.next = task;
      return;
    }
    slot.cancelWait();
    this.#begin(task);
  }

  #attempt(slot: Slot): void {
    slot.cancelWait = undefined;
    const running = slot.task
      .run(slot.attempt)
      .then(
        () => this.#end(slot),
        (error: unknown) => this.#fail(slot, error),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #end(slot: Slot): void {
    this.#slots.delete(slot.task.key);
    if (slot.next !== undefined && !this.#isStopped) this.#begin(slot.next);
  }

  #fail(slot: Slot, error: unknown): void {
    const isRetryable = error instanceof AdapterError && error.retryable;
    if (this.#isStopped || slot.next !== undefined) {
      this.#end(slot);
      return;
    }
    if (!isRetryable || slot.attempt >= maximumAttempts) {
      this.#tell(slot.task, error);
      this.#end(slot);
      return;
    }
    const milliseconds = Math.max(
      Math.min(firstWaitMilliseconds * 4 ** (slot.attempt - 1), longestWaitMilliseconds),
      Math.min(error.retryAfterMilliseconds ?? 0, longestPauseMilliseconds),
    );
    slot.attempt += 1;
    slot.cancelWait = this.#parts.wait(milliseconds, () => this.#attempt(slot));
  }

  /** An adapter's error holds no secret; of any other only its kind is told. */
  #tell({ source, what }: ForgeTask, error: unknown): void {
    const reason = error instanceof AdapterError ? `${error.code}: ${error.message}` : kindOf(error);
    this.#parts.logger.info({ source, what, reason }, 'given up at the forge');
  }
}

function kindOf(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : 'unknown';
}
