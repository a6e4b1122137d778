import type { LedgerEntry, LedgerPort, OperatorActionPayload } from '#ledger';
import { type ClockPort, expiryActor, recordedIntervention } from '#reconciliation';
import { Batch } from '../requests/batch.ts';
import { nanosecondsAt } from '../requests/check-query.ts';
import { LongReads } from '../requests/long-reads.ts';

/** When an intervention ended, RFC 3339, and by whom; the controller ends what has expired. */
export interface InterventionEnding {
  readonly time: string;
  readonly actor: string;
  readonly reason: string | null;
}

/** What of an action says whether it began an intervention, and which. */
export interface BeginningAction {
  readonly payload: OperatorActionPayload;
  /** RFC 3339. */
  readonly time: string;
}

/** Nanoseconds since 1970. */
interface Begun {
  readonly id: string;
  readonly since: bigint;
  readonly expires: string;
}

/** Actions that are looked through for one page: some 50 ms of the database. */
const bounds = { maximum: 5_000, perRead: 500 } as const;

/** More than a page has. */
const maximumQueries = 1_000;

/** How interventions ended, of the actions that began them: those of a page are found together. */
export class InterventionEnds {
  readonly #clock: Pick<ClockPort, 'now'>;
  readonly #reads: LongReads;
  readonly #batch: Batch<Begun, InterventionEnding | null>;

  constructor(ports: {
    readonly ledger: Pick<LedgerPort, 'entries'>;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#clock = ports.clock;
    this.#reads = new LongReads(ports.ledger);
    this.#batch = new Batch({ load: (begun) => this.#load(begun), maximumQueries, keyOf: ({ id }) => id });
  }

  /** Null: the action began no intervention, it has not ended, or its end is not among those that are looked through. */
  async find({ payload, time }: BeginningAction): Promise<InterventionEnding | null> {
    const recorded = recordedIntervention(payload, time);
    if (recorded?.what !== 'Begun') return null;
    const { id, intervention } = recorded.standing;
    const since = nanosecondsAt('time', time);
    return this.#batch.read({ id, since, expires: intervention.expires });
  }

  /** Of an entry of any kind. */
  async ofEntry(entry: LedgerEntry): Promise<InterventionEnding | null> {
    return entry.kind === 'OperatorAction' ? this.find(entry) : null;
  }

  async #load(begun: readonly Begun[]): Promise<readonly (InterventionEnding | null)[]> {
    const now = this.#clock.now();
    const ends = new Map<string, InterventionEnding>();
    let isComplete = true;
    for (const range of rangesOf(begun, now)) {
      const read = { ...bounds, ...range, kind: 'OperatorAction' as const };
      const hasAll = await this.#reads.each(read, ({ payload, time }) => {
        const recorded = recordedIntervention(payload, time);
        if (recorded?.what === 'Ended')
          ends.set(recorded.standing.id, endingOf(recorded.standing.intervention, payload, time));
      });
      isComplete &&= hasAll;
    }
    return begun.map(({ id, expires }) => {
      const found = ends.get(id) ?? null;
      const hasExpired = Date.parse(expires) <= Date.parse(now);
      return found === null && isComplete && hasExpired ? expiryAt(expires) : found;
    });
  }
}

/** How what has expired ended. */
export function expiryAt(expires: string): InterventionEnding {
  return { time: expires, actor: expiryActor, reason: null };
}

/** What has expired acts no more from then on, however much later that is recorded. */
export function endingOf(
  { expires }: { readonly expires: string },
  { actor, reason }: Pick<OperatorActionPayload, 'actor' | 'reason'>,
  time: string,
): InterventionEnding {
  return { time: Date.parse(expires) < Date.parse(time) ? expires : time, actor, reason };
}

/** The times in which the interventions may have ended, those that overlap as one. */
function rangesOf(
  begun: readonly Begun[],
  now: string,
): readonly { readonly from: bigint; readonly until: bigint }[] {
  const present = nanosecondsAt('now', now) + 1n;
  const ranges: { from: bigint; until: bigint }[] = [];
  for (const { since, expires } of begun.toSorted((one, other) => (one.since < other.since ? -1 : 1))) {
    const end = nanosecondsAt('expires', expires);
    const until = end < present ? end : present;
    const last = ranges.at(-1);
    if (last === undefined || since > last.until) ranges.push({ from: since, until });
    else if (until > last.until) last.until = until;
  }
  return ranges;
}
