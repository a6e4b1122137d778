import type { Logger } from 'pino';
import { AdapterError } from '#kernel';
import type { ClockPort } from '#reconciliation';

/** Something to be asked of a forge; `attempt` counts from 1. */
export interface ForgeTask {
  /** What it is about: a later task of the same key takes the place of one that waits. */
  readonly key: string;
  readonly source: string;
  /** For the log, when it is given up: `the commit status`. */
  readonly what: string;
  readonly run: (attempt: number) => Promise<void>;
  /** Called when it is. */
  readonly givenUp?: () => void;
}

/** Tasks under way at a time, of all forges; a controller that has fallen behind drops the newest. */
const maximumTasks = 200;

/** With waits of 2, 8, 32, 128, 512 and then 900 seconds: an hour, after which a rate limit has ended too. */
const maximumAttempts = 9;
const firstWaitMilliseconds = 2_000;
const longestWaitMilliseconds = 900_000;

/** Rate limits begin anew within the hour: whatever a forge says, it is asked again then. */
const longestPauseMilliseconds = 3_600_000;

/** Of a wait as long as this one people are told: what takes longer than a restart of the forge is no hiccup. */
const toldFromMilliseconds = 30_000;

interface QueuedTask {
  task: ForgeTask;
  attempt: number;
  /** Ends the wait for the next attempt; undefined while an attempt runs. */
  cancelWait: (() => void) | undefined;
  next: ForgeTask | undefined;
}

/** A kind of task at the forge of a source whose latest attempt failed and is not tried again soon. */
export interface ForgeFailure {
  readonly source: string;
  /** When that was so first since the last that did not fail, RFC 3339. */
  readonly since: string;
  /** Of the latest failure: `RateLimited`. */
  readonly code: string;
}

/** What the queue works with; `wait` calls back after so many milliseconds and returns what prevents it. */
export interface ForgeTasksOptions {
  readonly clock: Pick<ClockPort, 'now'>;
  readonly wait: (milliseconds: number, callback: () => void) => () => void;
  readonly logger: Logger;
}

/** Carries out what is asked of forges, beside everything else: tried again with growing waits, then given up. */
export class ForgeTasks {
  readonly #options: ForgeTasksOptions;
  readonly #queued = new Map<string, QueuedTask>();
  readonly #running = new Set<Promise<void>>();
  /** What was said last of each source and kind of task: what is asked again at each look says so once. */
  readonly #toldOf = new Map<string, string>();
  /** By the key of the task, what its latest attempt failed with; those of the oldest are forgotten. */
  readonly #failures = new Map<string, string>();
  /** By source and kind of task. */
  readonly #failing = new Map<string, ForgeFailure>();
  #isStopped = false;

  constructor(options: ForgeTasksOptions) {
    this.#options = options;
  }

  /** Never throws and never waits. */
  put(task: ForgeTask): void {
    if (this.#isStopped) return;
    const queued = this.#queued.get(task.key);
    if (queued !== undefined) this.#replace(queued, task);
    else if (this.#queued.size >= maximumTasks) this.#reportGivenUp(task, 'TooManyTasks');
    else this.#begin(task);
  }

  /** Why the latest attempt at a task failed; null: it did not, or was long ago. */
  failureOf(key: string): string | null {
    return this.#failures.get(key) ?? null;
  }

  /** What fails at forges, and is not tried again soon or at all. */
  get failing(): readonly ForgeFailure[] {
    return [...this.#failing.values()];
  }

  /** Waits for requests under way; what waits for another attempt is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { cancelWait } of this.#queued.values()) cancelWait?.();
    this.#queued.clear();
    await Promise.all(this.#running);
  }

  #begin(task: ForgeTask): void {
    const queued: QueuedTask = { task, attempt: 1, cancelWait: undefined, next: undefined };
    this.#queued.set(task.key, queued);
    this.#attempt(queued);
  }

  #replace(queued: QueuedTask, task: ForgeTask): void {
    if (queued.cancelWait === undefined) {
      queued.next = task;
      return;
    }
    queued.cancelWait();
    this.#begin(task);
  }

  #attempt(queued: QueuedTask): void {
    queued.cancelWait = undefined;
    const running = queued.task
      .run(queued.attempt)
      .then(
        () => this.#succeed(queued),
        (error: unknown) => this.#fail(queued, error),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #succeed(queued: QueuedTask): void {
    this.#failures.delete(queued.task.key);
    this.#failing.delete(aboutOf(queued.task));
    this.#end(queued);
  }

  #end(queued: QueuedTask): void {
    this.#queued.delete(queued.task.key);
    if (queued.next !== undefined && !this.#isStopped) this.#begin(queued.next);
  }

  #fail(queued: QueuedTask, error: unknown): void {
    const isRetryable = error instanceof AdapterError && error.retryable;
    if (this.#isStopped || queued.next !== undefined) {
      this.#end(queued);
      return;
    }
    if (!isRetryable || queued.attempt >= maximumAttempts) {
      this.#reportGivenUp(queued.task, error);
      this.#end(queued);
      return;
    }
    const milliseconds = Math.max(
      Math.min(firstWaitMilliseconds * 4 ** (queued.attempt - 1), longestWaitMilliseconds),
      Math.min(error.retryAfterMilliseconds ?? 0, longestPauseMilliseconds),
    );
    const reason = this.#noteFailure(queued.task, error);
    if (milliseconds >= toldFromMilliseconds) {
      this.#noteFailing(queued.task, error);
      this.#tell(queued.task, reason, 'asked again at the forge, later');
    }
    queued.attempt += 1;
    queued.cancelWait = this.#options.wait(milliseconds, () => this.#attempt(queued));
  }

  #noteFailure({ key }: ForgeTask, error: unknown): string {
    const reason = describeFailure(error);
    this.#failures.delete(key);
    this.#failures.set(key, reason);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maximumTasks && oldest !== undefined) this.#failures.delete(oldest);
    return reason;
  }

  #noteFailing(task: ForgeTask, error: unknown): void {
    const about = aboutOf(task);
    const since = this.#failing.get(about)?.since ?? this.#options.clock.now();
    this.#failing.set(about, { source: task.source, since, code: codeOf(error) });
  }

  #reportGivenUp(task: ForgeTask, error: unknown): void {
    task.givenUp?.();
    this.#noteFailing(task, error);
    this.#tell(task, this.#noteFailure(task, error), 'given up at the forge');
  }

  #tell(task: ForgeTask, reason: string, message: string): void {
    const { key, source, what } = task;
    const told = `${message} ${key} ${reason}`;
    const about = aboutOf(task);
    if (this.#toldOf.get(about) === told) return;
    this.#toldOf.set(about, told);
    this.#options.logger.info({ source, what, reason }, message);
  }
}

/** The source and the kind of task. */
function aboutOf({ source, what }: ForgeTask): string {
  return `${source} ${what}`;
}

/** An adapter's error holds no secret; of any other error only the kind is told. */
function describeFailure(error: unknown): string {
  return error instanceof AdapterError ? `${error.code}: ${error.message}` : codeOf(error);
}

function codeOf(error: unknown): string {
  if (error instanceof AdapterError) return error.code;
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : 'unknown';
}
