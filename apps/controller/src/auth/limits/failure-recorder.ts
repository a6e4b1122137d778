import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Json } from '#kernel';
import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Leadership } from '../../coordination/shards/leadership.ts';
import type { ShardRequests } from '../../coordination/shards/shard-requests.ts';

/** At most one entry so often, whoever fails and how often. */
const periodMilliseconds = 60_000;

/** So often a process that does not lead tells the leader what it has counted. */
const tellMilliseconds = 15_000;

/** Addresses that are counted apart in a period, those that the leader is told, and those that an entry names. */
const maximumAddresses = 1_000;
const maximumTold = 100;
const maximumNamed = 10;

/** Tellings that the leader recognises when they come again: more than processes tell in the time that one is repeated. */
const maximumKnown = 1_000;

export interface FailureRecorderOptions {
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly leadership: Pick<Leadership, 'isLeader'>;
  readonly requests: Pick<ShardRequests, 'askLeader' | 'handleAsLeader'>;
  readonly log: (fields: object, message: string) => void;
}

/** What a process that does not lead has counted. */
const telling = z.object({
  /** The same when it is told again, as where the answer was lost. */
  id: z.string(),
  count: z.number().int().positive(),
  addresses: z.array(z.object({ address: z.string(), count: z.number().int().positive() })).max(maximumTold),
});

/**
 * Records that requests failed to authenticate: one entry per minute over all addresses and replicas, with how many there
 * were and where most came from, so that nobody without a token fills a ledger that nothing is deleted from. The leader
 * records, a minute after it came to lead at the earliest, since the one before may have recorded until then; others tell
 * it.
 */
export class FailureRecorder {
  readonly #options: FailureRecorderOptions;
  readonly #counts = new Map<string, number>();
  #count = 0;
  readonly #known = new Set<string>();
  /** What the leader has not confirmed yet. */
  #telling: z.infer<typeof telling> | null = null;
  /** Of the last entry of any process, at the latest; by the monotonic clock. */
  #recordedAt = Number.POSITIVE_INFINITY;
  /** Until the next entry, as the leader. */
  #timer: NodeJS.Timeout | undefined;
  /** Until the leader is told. */
  #tellTimer: NodeJS.Timeout | undefined;

  constructor(options: FailureRecorderOptions) {
    this.#options = options;
    options.requests.handleAsLeader((request) => this.#hear(request));
  }

  readonly note = (address: string): void => this.#add(address, 1);

  /** The process leads from now on. */
  lead(): void {
    this.#stopWaiting();
    this.#recordedAt = this.#now;
    if (this.#telling !== null || this.#count > 0) this.#await();
  }

  /**
   * Records what has been counted, or tells the leader; while this process leads and there was an entry within the last
   * minute, neither. What cannot be stored is not recorded: it was refused all the same.
   */
  async flush(): Promise<void> {
    this.#stopWaiting();
    if (!this.#options.leadership.isLeader()) await this.#tell();
    else if (this.#now - this.#recordedAt >= periodMilliseconds) await this.#record();
  }

  /** The process ends, and no other is told. */
  async end(): Promise<void> {
    await this.flush();
    const message = 'the last requests without a valid token are in no entry, which are one a minute';
    if (this.#count > 0) this.#options.log({ count: this.#count }, message);
  }

  #add(address: string, count: number): void {
    this.#count += count;
    if (this.#counts.has(address) || this.#counts.size < maximumAddresses)
      this.#counts.set(address, (this.#counts.get(address) ?? 0) + count);
    this.#await();
  }

  /** The minute begins with the first failure that the leader counts. */
  #await(): void {
    if (this.#options.leadership.isLeader())
      this.#timer ??= this.#after(periodMilliseconds, () => this.#record());
    else this.#tellTimer ??= this.#after(tellMilliseconds, () => this.#tell());
  }

  /** Who leads may have changed meanwhile. */
  #after(milliseconds: number, act: () => Promise<void>): NodeJS.Timeout {
    const { leadership } = this.#options;
    const wasLeader = leadership.isLeader();
    return setTimeout(() => {
      this.#stopWaiting();
      if (leadership.isLeader() === wasLeader) void act();
      else this.#await();
    }, milliseconds).unref();
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#tellTimer);
    this.#timer = undefined;
    this.#tellTimer = undefined;
  }

  #take(maximum: number): Pick<z.infer<typeof telling>, 'count' | 'addresses'> {
    const addresses = [...this.#counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, maximum)
      .map(([address, count]) => ({ address, count }));
    const taken = { count: this.#count, addresses };
    this.#count = 0;
    this.#counts.clear();
    return taken;
  }

  async #record(): Promise<void> {
    if (this.#telling !== null) this.#addTold(this.#telling);
    this.#telling = null;
    if (this.#count === 0) return;
    this.#recordedAt = this.#now;
    const { count, addresses } = this.#take(maximumNamed);
    const { writer, clock } = this.#options;
    const payload = {
      actor: 'nobody',
      action: 'Authenticate',
      outcome: 'Refused',
      reason: `${count} ${count === 1 ? 'request' : 'requests'} within a minute without a valid token`,
      arguments: { count, addresses },
    } as const;
    await writer
      .append({ drafts: [{ stream: adminStream, kind: 'OperatorAction', time: clock.now(), payload }] })
      .catch(() => undefined);
  }

  async #tell(): Promise<void> {
    if (this.#telling === null && this.#count > 0)
      this.#telling = { id: randomUUID(), ...this.#take(maximumTold) };
    const told = this.#telling;
    if (told === null) return;
    const isHeard = await this.#options.requests.askLeader({ ...told }).catch(() => false);
    if (isHeard && this.#telling === told) this.#telling = null;
    if (this.#telling !== null || this.#count > 0) this.#await();
  }

  get #now(): number {
    return this.#options.clock.monotonicMilliseconds();
  }

  #hear(request: Json): Promise<Json> {
    const { id, ...told } = telling.parse(request);
    if (!this.#known.has(id)) this.#addTold(told);
    this.#known.add(id);
    if (this.#known.size > maximumKnown) this.#known.delete([...this.#known][0] ?? '');
    return Promise.resolve(null);
  }

  #addTold({ count, addresses }: Pick<z.infer<typeof telling>, 'count' | 'addresses'>): void {
    let named = 0;
    for (const { address, count: failures } of addresses) {
      this.#add(address, failures);
      named += failures;
    }
    this.#count += Math.max(0, count - named);
    this.#await();
  }
}
