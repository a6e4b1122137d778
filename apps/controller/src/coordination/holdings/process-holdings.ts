import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { mayWrite } from '#coordination';
import { AdapterError } from '#kernel';
import { type Fence, fenceExpirySeconds, type FencePort, fenceRenewalSeconds, HeldFences } from '#ledger';
import type { FieldLogger } from '../../logging/field-logger.ts';
import { OutageLog } from '../../logging/outage-log.ts';
import { type ControllerRole, Holdings } from './holdings.ts';
import type { ScopeLoss } from './scope-loss.ts';

type ProcessFencePort = Pick<FencePort, 'take' | 'renew' | 'giveUp'>;

/** What fences are taken with. */
export interface ProcessHoldingsOptions {
  readonly port: ProcessFencePort;
  readonly logger: FieldLogger;
  /** Whether this process has held the scopes before, and lost them. */
  readonly wasFenced?: boolean;
  /** Resolves after so many seconds, or rejects once the signal aborts. For tests; a timer by default. */
  readonly wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since some moment, never set back. For tests; the process's clock by default. */
  readonly elapsed?: () => number;
}

const none = new HeldFences([]);

/** As of a Lease: a third of what a fence lasts is left for a request that is under way. */
export const fenceTerms = {
  leaseDurationMilliseconds: fenceExpirySeconds * 1_000,
  renewDeadlineMilliseconds: fenceExpirySeconds * 1_000 * (2 / 3),
  retryPeriodMilliseconds: fenceRenewalSeconds * 1_000,
};

/**
 * What one process holds that carries all policies out: every scope, or none. It waits for scopes that another process
 * holds and never takes them from one that renews them. Once it holds them, it renews them until it gives them up or
 * finds that it has lost them.
 */
export class ProcessHoldings extends Holdings {
  readonly #port: ProcessFencePort;
  readonly #logger: ProcessHoldingsOptions['logger'];
  readonly #wait: NonNullable<ProcessHoldingsOptions['wait']>;
  /** New for each process, so that a process never takes another's fence for its own. */
  readonly #holder = randomUUID();
  readonly #elapsed: () => number;
  #held = none;
  /** By scope, RFC 3339 by the machine's clock. */
  #takenAt: ReadonlyMap<string, string> = new Map();
  /** When the last renewal that succeeded was sent, by the monotonic clock. */
  #renewedAt = 0;
  readonly #renewals: OutageLog;
  /** Of questions for scopes that another process holds. */
  readonly #questions: OutageLog;
  #role: ControllerRole;
  #hasRead = false;
  #renewal: { readonly ended: Promise<void>; readonly stop: () => void } | null = null;

  constructor({
    port,
    logger,
    wasFenced = false,
    wait = timer,
    elapsed = processClock,
  }: ProcessHoldingsOptions) {
    super();
    this.#port = port;
    this.#logger = logger;
    this.#renewals = new OutageLog(logger, {
      fails: 'could not renew the scopes',
      works: 'the scopes are renewed again',
    });
    this.#questions = new OutageLog(logger, {
      fails: 'could not ask for the scopes',
      works: 'the scopes are asked for again',
    });
    this.#wait = wait;
    this.#elapsed = elapsed;
    this.#role = wasFenced ? 'fenced' : 'standby';
  }

  get failingSince(): string | null {
    return this.#questions.failingSince ?? this.#renewals.failingSince;
  }

  get failure(): string | null {
    return this.#questions.failure ?? this.#renewals.failure;
  }

  /** It has none. */
  get leasesFailingSince(): null {
    return null;
  }

  get leasesFailure(): null {
    return null;
  }

  get role(): ControllerRole {
    return this.#role;
  }

  get isLeader(): boolean {
    return this.#role === 'active' && this.#hasRead;
  }

  /** What is stored was read under the scopes: what people ask for is done from now on. */
  lead(): void {
    this.#hasRead = true;
  }

  of(scope: string): Fence {
    return this.#held.of(scope);
  }

  holds(scope: string): boolean {
    return this.#held.has(scope);
  }

  heldSince(scope: string): string | null {
    return this.#held.has(scope) ? (this.#takenAt.get(scope) ?? null) : null;
  }

  /** Another process may take the fences once they have expired, so this one stops writing a while before. */
  mayWrite(scope: string): boolean {
    const renewals = { lease: null, fence: this.#renewedAt };
    return this.#held.has(scope) && mayWrite(renewals, this.#elapsed(), fenceTerms);
  }

  /**
   * Waits until the scopes are free, takes all of them, and renews them from then on.
   *
   * @param onLost is called at most once, when another process has taken one of them over.
   * @throws the signal's reason once it aborts, or AdapterError where the database fails at the first attempt.
   */
  async acquire(
    scopes: readonly string[],
    onLost: (loss: ScopeLoss) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let isFirst = true;
    for (;;) {
      signal.throwIfAborted();
      const fences = await this.#tryToTake(scopes, isFirst);
      if (fences !== null) {
        this.#begin(fences, onLost);
        return;
      }
      if (isFirst)
        this.#logger.info({ scopes }, 'another process carries policies out; waiting for it to end');
      isFirst = false;
      await this.#wait(fenceRenewalSeconds, signal);
    }
  }

  async extend(scopes: readonly string[]): Promise<void> {
    const known = new Set(this.#held.all.map(({ scope }) => scope));
    const wanted = scopes.filter((scope) => !known.has(scope));
    if (wanted.length === 0) return;
    const taken = await this.#port.take(wanted, this.#holder);
    if (taken.ok && this.#role === 'active') {
      this.#hold([...this.#held.all, ...taken.value]);
      return;
    }
    if (taken.ok) await this.#port.giveUp(taken.value);
    const message = `another process holds one of ${wanted.join(', ')}`;
    throw new AdapterError({ code: 'Fenced', message, retryable: true });
  }

  /** Frees the scopes, so that another process can go on at once. */
  async giveUp(): Promise<void> {
    const { all } = this.#held;
    this.#hasRead = false;
    this.#renewal?.stop();
    await this.#renewal?.ended;
    this.#renewal = null;
    this.#held = none;
    if (all.length === 0) return;
    this.#role = 'standby';
    try {
      await this.#port.giveUp(all);
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'the scopes were not given up; another process waits until they expire',
      );
    }
  }

  async #tryToTake(scopes: readonly string[], isFirst: boolean): Promise<readonly Fence[] | null> {
    this.#renewedAt = this.#elapsed();
    const take = (): ReturnType<FencePort['take']> => this.#port.take(scopes, this.#holder);
    const taken = isFirst ? await take() : await this.#questions.during(take);
    return taken?.ok === true ? taken.value : null;
  }

  #begin(fences: readonly Fence[], onLost: (loss: ScopeLoss) => void): void {
    this.#hold(fences);
    this.#role = 'active';
    const stopping = new AbortController();
    const ended = this.#renew(stopping.signal).then((isLost) => {
      if (!isLost) return;
      this.#held = none;
      this.#role = 'fenced';
      this.#logger.warn({}, 'another process has taken over; this one stops carrying policies out');
      onLost('TakenOver');
    });
    this.#renewal = { ended, stop: () => stopping.abort() };
  }

  #hold(fences: readonly Fence[]): void {
    const now = new Date().toISOString();
    this.#takenAt = new Map(fences.map(({ scope }) => [scope, this.heldSince(scope) ?? now]));
    this.#held = new HeldFences(fences);
  }

  /** Renews until the signal aborts (false) or the fences are lost (true). A database that fails is asked again. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      await this.#wait(fenceRenewalSeconds, signal).catch(() => undefined);
      if (signal.aborted) return false;
      const sentAt = this.#elapsed();
      const renewed = await this.#renewals.during(() => this.#port.renew(this.#held.all));
      if (renewed?.ok === false) return !signal.aborted;
      if (renewed !== null) this.#renewedAt = sentAt;
    }
  }
}

function processClock(): number {
  return performance.now();
}

/** A wait does not keep the process alive. */
async function timer(seconds: number, signal: AbortSignal): Promise<void> {
  await delay(seconds * 1_000, undefined, { signal, ref: false });
}
