import type { SyncOutcome } from '#git-sync';

/** A source and how often it is looked at. */
export interface ScheduledSync {
  readonly intervalSeconds: number;
  readonly run: () => Promise<SyncOutcome>;
}

/** Spreads sources of one Git server over time. */
const jitterShare = 0.1;

/** A source that fails is asked less and less, up to this many of its intervals. */
const maximumBackOff = 10;

/** Looks at every source at once, then on its interval with jitter, and backs off while it fails. */
export class SyncSchedule {
  readonly #sources: readonly ScheduledSync[];
  readonly #timers = new Map<ScheduledSync, NodeJS.Timeout>();
  readonly #running = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor(sources: readonly ScheduledSync[]) {
    this.#sources = sources;
  }

  start(): void {
    for (const source of this.#sources) this.#run(source, 0);
  }

  /** Waits for syncs under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#running);
  }

  #plan(source: ScheduledSync, failures: number): void {
    if (this.#isStopped) return;
    const factor = Math.min(2 ** failures, maximumBackOff) * (1 + jitterShare * Math.random());
    this.#timers.set(
      source,
      setTimeout(() => this.#run(source, failures), source.intervalSeconds * 1000 * factor),
    );
  }

  #run(source: ScheduledSync, failures: number): void {
    const running = source.run().then(
      ({ result }) => this.#plan(source, result === 'failed' ? failures + 1 : 0),
      () => this.#plan(source, failures + 1),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }
}
