import type { Logger } from 'pino';
import type { Reconciler } from '#reconciliation';

/** How often the loop looks for policies that are due: the finest interval there is. */
const tickMilliseconds = 1_000;
/** How long a change that starts a pass waits for others. */
const coalescingMilliseconds = 100;

export interface ReconcileLoopOptions {
  readonly reconciler: Pick<Reconciler, 'take' | 'giveUp' | 'sweep' | 'shutdown' | 'onHastened'>;
  readonly logger: Logger;
  /** For tests; 1,000 by default. */
  readonly tickMilliseconds?: number;
}

/**
 * Sweeps once per tick, whatever the last sweep is still waiting for: a policy that hangs holds up only itself, and the
 * reconciler never runs two passes of one policy.
 */
export class ReconcileLoop {
  readonly #options: ReconcileLoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #hastening: NodeJS.Timeout | undefined;
  /** Shards that are asked for next. */
  #next: { readonly shards: number[]; readonly taken: Promise<void> } | null = null;
  #taking: Promise<void> = Promise.resolve();
  #isResting = false;
  #stopped = false;
  #swept = false;

  constructor(options: ReconcileLoopOptions) {
    this.#options = options;
  }

  /** Whether a sweep has ended since the start; for readiness. */
  get hasSwept(): boolean {
    return this.#swept;
  }

  /**
   * Takes shards, and reads what their last holder left: policy state and pending intents. Shards that are asked for
   * while others are being read are read together afterwards.
   *
   * @throws AdapterError when the ledger cannot be read.
   */
  async take(...shards: readonly number[]): Promise<void> {
    const next = (this.#next ??= { shards: [], taken: this.#taking.then(() => this.#takeNext()) });
    next.shards.push(...shards);
    await next.taken;
  }

  /**
   * Gives a shard up once the passes of its policies have ended, which takes a second or two.
   *
   * @throws AdapterError `WriteUnanswered`: a write may be carried out yet
   */
  giveUp(shard: number): Promise<void> {
    return this.#options.reconciler.giveUp(shard);
  }

  #takeNext(): Promise<void> {
    const shards = this.#next?.shards ?? [];
    this.#next = null;
    const taken = this.#options.reconciler.take(shards);
    this.#taking = taken.then(
      () => this.#sweepAtOnce(),
      () => undefined,
    );
    return taken;
  }

  /** Sweeps until {@link ReconcileLoop.rest}; a loop that rests does not start again. */
  start(): void {
    if (this.#isResting) return;
    this.#options.reconciler.onHastened(() => this.#hasten());
    this.#timer = setInterval(() => void this.#sweep(), this.#options.tickMilliseconds ?? tickMilliseconds);
    void this.#sweep();
  }

  /** Begins no pass any more: what a process that ends gives up waits for nothing but what is under way. */
  rest(): void {
    this.#isResting = true;
    clearInterval(this.#timer);
    clearTimeout(this.#hastening);
  }

  /** Begins no pass any more, waits for those under way (each ends within the pass timeout), and seals open runs. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.rest();
    await this.#options.reconciler.shutdown();
  }

  /** Nobody has looked at the policies of a shard that was taken since its last holder ended. */
  #sweepAtOnce(): void {
    if (!this.#isResting && this.#timer !== undefined) void this.#sweep();
  }

  /** Changes that come together are swept together. */
  #hasten(): void {
    if (this.#isResting || this.#timer === undefined) return;
    this.#hastening ??= setTimeout(() => {
      this.#hastening = undefined;
      void this.#sweep();
    }, coalescingMilliseconds);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#options.reconciler.sweep();
      this.#swept = true;
    } catch (error) {
      // Passes end in outcomes; what comes here is a mistake of ours, and the next tick tries again.
      this.#options.logger.error({ err: error }, 'a sweep failed');
    }
  }
}
