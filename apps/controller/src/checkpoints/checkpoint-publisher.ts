import type { Logger } from 'pino';
import { AdapterError, fileFault, late, withinTime } from '#kernel';
import type { SigningKey } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { CheckpointSink } from './checkpoint-sink.ts';

export interface CheckpointPublisherOptions {
  readonly sinks: readonly CheckpointSink[];
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Notes that wait for a sink, some 16 hours of them. Beyond it the oldest is dropped: a later note covers what it covers. */
const maximumWaiting = 1_000;

/** Notes that are delivered at a time. */
const maximumBatch = 50;

const firstWaitMilliseconds = 2_000;
const longestWaitMilliseconds = 300_000;

/** A sink that has not taken a batch by then hangs, as a file does whose mount is away; fifty posts may take as long. */
const hangingMilliseconds = 60_000;

/** How long a start waits for what a sink has; a Git server is given 20 seconds for an answer. */
const readMilliseconds = 30_000;

/** How long the end of the process waits for notes on their way. */
export const stopMilliseconds = 5_000;

/** What does not work at a sink. */
export interface FailingSink {
  readonly sink: CheckpointSink['name'];
  /** RFC 3339. */
  readonly since: string;
}

/** How a sink stands. */
export interface SinkState {
  readonly sink: CheckpointSink['name'];
  readonly waiting: number;
  readonly dropped: number;
  readonly failingSince: string | null;
  /** RFC 3339: when it last took one; null: not since the start. */
  readonly deliveredAt: string | null;
}

/** What sinks have. */
export interface LastNotes {
  readonly notes: readonly { readonly sink: CheckpointSink['name']; readonly note: string }[];
  readonly unread: readonly CheckpointSink['name'][];
}

/** Sends checkpoints to all sinks beside everything else; a sink that fails is told, and tried again. */
export class CheckpointPublisher {
  readonly #queues: readonly SinkQueue[];

  constructor({ sinks, ...shared }: CheckpointPublisherOptions) {
    this.#queues = sinks.map((sink) => new SinkQueue(sink, shared));
  }

  get states(): readonly SinkState[] {
    return this.#queues.map(({ state }) => state);
  }

  get failing(): readonly FailingSink[] {
    return this.states.flatMap(({ sink, failingSince }) =>
      failingSince === null ? [] : [{ sink, since: failingSince }],
    );
  }

  /** Resolves when nothing is on its way. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.whenIdle));
  }

  /** Sends a note that was signed with a key, or with the one before it. Never throws and never waits. */
  put(note: string, publicKey: SigningKey['publicKey']): void {
    for (const queue of this.#queues) queue.put(note, publicKey);
  }

  /** The last notes that sinks have, and the sinks that cannot be read now. */
  async lastNotes(): Promise<LastNotes> {
    const notes: LastNotes['notes'][number][] = [];
    const unread: CheckpointSink['name'][] = [];
    await Promise.all(
      this.#queues.map(async (queue) => {
        const sink = queue.sink.name;
        try {
          const note = await queue.lastNote();
          if (note !== null) notes.push({ sink, note });
        } catch {
          unread.push(sink);
        }
      }),
    );
    return { notes, unread };
  }

  /** Tries once more what waits, for a few seconds; the next start sends the last note again. */
  async stop(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.stop()));
  }
}

type Shared = Omit<CheckpointPublisherOptions, 'sinks'>;

class SinkQueue {
  readonly sink: CheckpointSink;
  readonly #shared: Shared;
  #waiting: readonly string[] = [];
  /** That signs what is sent now; null: nothing was put. */
  #publicKey: SigningKey['publicKey'] | null = null;
  #dropped = 0;
  #failures = 0;
  #failingSince: string | null = null;
  #deliveredAt: string | null = null;
  #lastReason = '';
  #running: Promise<void> | null = null;
  #reading: Promise<string | null> | null = null;
  #cancelWait: (() => void) | null = null;
  #isStopped = false;
  /** Aborted when nobody waits for what is on its way. */
  readonly #ending = new AbortController();

  constructor(sink: CheckpointSink, shared: Shared) {
    this.sink = sink;
    this.#shared = shared;
  }

  get state(): SinkState {
    return {
      sink: this.sink.name,
      waiting: this.#waiting.length,
      dropped: this.#dropped,
      failingSince: this.#failingSince,
      deliveredAt: this.#deliveredAt,
    };
  }

  get whenIdle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  put(note: string, publicKey: SigningKey['publicKey']): void {
    this.#publicKey = publicKey;
    const waiting = [...this.#waiting, note];
    const excess = Math.max(0, waiting.length - maximumWaiting);
    this.#dropped += excess;
    this.#waiting = waiting.slice(excess);
    if (this.#cancelWait === null) this.#begin();
  }

  /** One that hangs is not asked again beside that: each question of a file keeps a thread. @throws where it cannot be read */
  async lastNote(): Promise<string | null> {
    this.#reading ??= this.sink.lastNote().finally(() => {
      this.#reading = null;
    });
    const note = await withinTime(this.#shared.clock, readMilliseconds, this.#reading);
    if (note === late) throw hanging(readMilliseconds);
    return note;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const isWaiting = this.#cancelWait !== null;
    this.#cancelWait?.();
    this.#cancelWait = null;
    if (isWaiting) this.#begin();
    await withinTime(this.#shared.clock, stopMilliseconds, this.whenIdle);
    // A request that hangs keeps the process from ending.
    this.#ending.abort();
    if (this.#waiting.length === 0) return;
    this.#shared.logger.warn(
      { sink: this.sink.name, waiting: this.#waiting.length },
      'checkpoints were not sent to a sink before the end',
    );
  }

  #begin(): void {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = null;
    });
  }

  async #deliver(): Promise<void> {
    const publicKey = this.#publicKey;
    while (this.#waiting.length > 0 && publicKey !== null) {
      const batch = this.#waiting.slice(0, maximumBatch);
      try {
        const delivery = this.sink.deliver(batch, publicKey, this.#ending.signal);
        if ((await withinTime(this.#shared.clock, hangingMilliseconds, delivery)) === late) {
          this.#tell(hanging(hangingMilliseconds));
          await delivery;
        }
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        this.#fail(error);
        return;
      }
      // Some of them may have been dropped meanwhile.
      const delivered = new Set(batch);
      this.#waiting = this.#waiting.filter((note) => !delivered.has(note));
      this.#recover();
    }
  }

  #tell(error: unknown): void {
    const { clock, logger } = this.#shared;
    const reason = error instanceof AdapterError ? `${error.code}: ${error.message}` : fileFault(error);
    this.#failingSince ??= clock.now();
    if (reason === this.#lastReason) return;
    logger.warn({ sink: this.sink.name, reason }, 'a sink takes no checkpoints; they wait for it');
    this.#lastReason = reason;
  }

  #fail(error: unknown): void {
    this.#tell(error);
    this.#failures += 1;
    if (this.#isStopped) return;
    const wait = Math.min(firstWaitMilliseconds * 2 ** (this.#failures - 1), longestWaitMilliseconds);
    this.#cancelWait = this.#shared.clock.schedule(wait, () => {
      this.#cancelWait = null;
      this.#begin();
    });
  }

  #recover(): void {
    if (this.#failingSince !== null)
      this.#shared.logger.info({ sink: this.sink.name }, 'the sink takes checkpoints again');
    this.#failingSince = null;
    this.#deliveredAt = this.#shared.clock.now();
    this.#failures = 0;
    this.#lastReason = '';
  }
}

function hanging(milliseconds: number): AdapterError {
  return new AdapterError({
    code: 'Timeout',
    message: `it has not answered for ${milliseconds / 1_000} seconds`,
    retryable: true,
  });
}
