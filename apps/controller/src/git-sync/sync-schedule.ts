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
  readonly #sources = new Map<string, ScheduledSync>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<unknown>>();
  #state: 'Waiting' | 'Started' | 'Stopped' = 'Waiting';

  start(): void {
    if (this.#state !== 'Waiting') return;
    this.#state = 'Started';
    for (const [name, source] of this.#sources) this.#run(name, source, 0);
  }

  /** Adds a source, or changes it; once started, it is looked at now. */
  set(name: string, source: ScheduledSync): void {
    this.delete(name);
    this.#sources.set(name, source);
    if (this.#state === 'Started') this.#run(name, source, 0);
  }

  /** Looks at a source no more. */
  delete(name: string): void {
    this.#sources.delete(name);
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  /** Waits for syncs under way. */
  async stop(): Promise<void> {
    this.#state = 'Stopped';
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#running);
  }

  #plan(name: string, source: ScheduledSync, failures: number): void {
    if (this.#state === 'Stopped' || this.#sources.get(name) !== source) return;
    const factor = Math.min(2 ** failures, maximumBackOff) * (1 + jitterShare * Math.random());
    const milliseconds = source.intervalSeconds * 1000 * factor;
    this.#timers.set(
      name,
      setTimeout(() => this.#run(name, source, failures), milliseconds),
    );
  }

  #run(name: string, source: ScheduledSync, failures: number): void {
    const running = source.run().then(
      ({ result }) => this.#plan(name, source, result === 'failed' ? failures + 1 : 0),
      () => this.#plan(name, source, failures + 1),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }
}
