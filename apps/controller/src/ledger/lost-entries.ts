import { administrationScope, type CheckpointPort, type Fence, type LostEntries } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { Shards } from '../coordination/shards/shards.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';

/** As after a restore: further than any process can have come by take-overs. */
const leastRise = 1_000_000n;

const pauseMilliseconds = 1_000;

export interface LostEntriesGuardOptions {
  readonly epochs: Pick<CheckpointPort, 'raiseEpochs'>;
  readonly holdings: Pick<Holdings, 'of' | 'holds'>;
  readonly shards: Pick<Shards, 'held'>;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: FieldLogger;
}

/**
 * A database that has lost entries has lost what was stored with them: commits in force, interventions, tokens. What this
 * process and others have in memory of them is no more what others read there, so all of them are fenced, and start anew
 * from what there is.
 */
export class LostEntriesGuard {
  readonly #options: LostEntriesGuardOptions;
  readonly #outages: OutageLog;
  #isFencing = false;

  constructor(options: LostEntriesGuardOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'what was read before the loss could not be fenced',
      works: 'what was read before the loss is fenced',
    });
  }

  readonly note = ({ stored, found }: LostEntries): void => {
    const { stream, seq } = stored;
    this.#options.logger.warn(
      { stream, stored: String(seq), found: String(found.seq) },
      'the database has lost entries that it had stored',
    );
    if (this.#isFencing) return;
    this.#isFencing = true;
    void this.#fence();
  };

  /** Until it is done, or this process holds nothing any more: it starts anew by that, or ends. */
  async #fence(): Promise<void> {
    const { epochs, clock } = this.#options;
    const fence = this.#anyFence;
    if (fence === undefined) {
      // What it takes later may be of before the loss as well, and is found then.
      this.#isFencing = false;
      return;
    }
    const now = BigInt(Math.floor(Date.parse(clock.now()) / 1_000));
    const beyond = fence.epoch + leastRise;
    const floor = now > beyond ? now : beyond;
    const raised = await this.#outages.during(() => epochs.raiseEpochs(floor, fence));
    if (raised === null) clock.schedule(pauseMilliseconds, () => void this.#fence());
  }

  get #anyFence(): Fence | undefined {
    const { holdings, shards } = this.#options;
    return holdings.holds(administrationScope) ? holdings.of(administrationScope) : shards.held[0];
  }
}
