import type { EntryPage, EntryQuery, LedgerEntry, LedgerPort, PolicyKey } from '#ledger';
import type { FakeSyncJournal } from '../ports/sync-journal.fake.ts';

/** A change of the count of a policy's target. */
export interface RecordedScaling {
  readonly policy: PolicyKey;
  readonly from: number;
  /** RFC 3339. */
  readonly time: string;
}

/** A ledger of what syncs recorded, and of the changes of counts that a test tells. */
export class RecordedChanges implements Pick<LedgerPort, 'entries'> {
  readonly scalings: RecordedScaling[] = [];
  readonly #journal: FakeSyncJournal;

  constructor(journal: FakeSyncJournal) {
    this.#journal = journal;
  }

  readonly entries = ({ policy, from = 0n }: EntryQuery): Promise<EntryPage> => {
    const changes = this.#journal.entries.flatMap((entry) =>
      'change' in entry ? [{ kind: 'PolicyChange', time: entry.time, payload: entry.change }] : [],
    );
    const events = this.scalings.map(({ time, ...payload }) => ({ kind: 'ScalingEvent', time, payload }));
    const found = [...changes, ...events]
      .filter(({ payload }) => payload.policy.name === policy?.name)
      .filter(({ time }) => BigInt(Date.parse(time)) * 1_000_000n >= from)
      .sort((one, other) => Date.parse(other.time) - Date.parse(one.time));
    const items = found.map((entry, index) => ({
      entry: entry as unknown as LedgerEntry,
      cursor: { timeNanoseconds: 0n, position: BigInt(index) },
    }));
    return Promise.resolve({ items, hasMore: false });
  };
}
