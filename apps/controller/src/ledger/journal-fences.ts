import { AdapterError } from '#kernel';
import {
  type AppendRequest,
  type Fence,
  type FencePort,
  formerJournalScope,
  type JournalRecord,
  journalScope,
  type LedgerWriter,
  policiesOf,
  type ReplayOrder,
} from '#ledger';
import type { JournalRequest } from '#reconciliation';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { Shards } from '../coordination/shards/shards.ts';
import type { PendingRecord, Replay } from './journal-delivery.ts';

export interface JournalFencesOptions {
  /** The journal's id. */
  readonly journal: () => string;
  readonly writer: Pick<LedgerWriter, 'under'>;
  readonly shards: Pick<Shards, 'scopeOf'>;
  readonly holdings: Pick<Holdings, 'holds' | 'of'>;
  readonly fencePort: Pick<FencePort, 'take' | 'giveUp'>;
  /** Of this process, and of no other. */
  readonly holder: string;
}

/** Which records of a journal go to their policies' own streams, and under which fences records are appended. */
export class JournalFences {
  readonly #options: JournalFencesOptions;
  /** Scopes that this process has taken right after the one before, and its epochs there. */
  readonly #continued = new Map<string, bigint>();

  constructor(options: JournalFencesOptions) {
    this.#options = options;
  }

  /** The fence under which a request is kept; null: this process does not decide its policy any more. */
  fenceFor(request: JournalRequest): Fence | null {
    const [policy] = policiesOf(request);
    return policy === undefined ? null : this.#heldOf(this.#options.shards.scopeOf(policy));
  }

  /**
   * Goes on from the last epochs that a process before left records of, by scope.
   *
   * @returns the fences of the scopes that no other process has held since
   */
  goOnFrom(lastEpochs: ReadonlyMap<string, bigint>): readonly Fence[] {
    const continued = [...lastEpochs].flatMap(([scope, epoch]) => {
      const fence = this.#heldOf(scope);
      return fence?.epoch === epoch + 1n ? [fence] : [];
    });
    for (const { scope, epoch } of continued) this.#continued.set(scope, epoch);
    return continued;
  }

  orderOf({ scope, epoch }: Pick<PendingRecord, 'scope' | 'epoch'>): ReplayOrder {
    const held = this.#heldOf(scope)?.epoch;
    if (held === undefined) return 'Late';
    return held === epoch || held === this.#continued.get(scope) ? 'InOrder' : 'Late';
  }

  /** Calls what replays records; the fence of late ones is taken when it is needed, and given up afterwards. */
  async during(replay: (how: Replay) => Promise<void> | undefined): Promise<void> {
    const late: Fence[] = [];
    try {
      await replay({
        orderOf: (record) => this.orderOf(record),
        writerFor: async (records, order) => {
          if (order === 'Late' && late.length === 0) late.push(await this.#takeLate());
          return this.#options.writer.under(order === 'Late' ? late : this.#fencesOf(records));
        },
      });
    } finally {
      await this.#options.fencePort.giveUp(late).catch(() => undefined);
    }
  }

  async #takeLate(): Promise<Fence> {
    const { fencePort, journal, holder } = this.#options;
    const taken = await fencePort.take([journalScope(journal())], holder);
    const [fence] = taken.ok ? taken.value : [];
    if (fence !== undefined) return fence;
    const message = 'another process delivers this journal';
    throw new AdapterError({ code: 'Fenced', message, retryable: true });
  }

  /** Those of the scopes that the records were kept under, and of their policies' shards. */
  #fencesOf(records: readonly JournalRecord[]): readonly Fence[] {
    const { shards, holdings } = this.#options;
    const scopes = records.flatMap((record) => [
      scopeOfRecord(record),
      ...policiesOf(asRequest(record)).map((policy) => shards.scopeOf(policy)),
    ]);
    return [...new Set(scopes)].map((scope) => holdings.of(scope));
  }

  #heldOf(scope: string): Fence | null {
    const { holdings } = this.#options;
    return holdings.holds(scope) ? holdings.of(scope) : null;
  }
}

/** The scope that a record was kept under. */
export function scopeOfRecord({ scope = formerJournalScope }: JournalRecord): string {
  return scope;
}

/** What it is about is asked alone. */
function asRequest({ drafts, states }: JournalRecord): AppendRequest {
  return { drafts: drafts as unknown as AppendRequest['drafts'], states };
}
