import type { Configuration } from '#configuration';
import { AdapterError } from '#kernel';
import {
  adminStream,
  checkpointOrigin,
  type CheckpointPort,
  type EntryDraft,
  type EntryOf,
  type LedgerPort,
  type LedgerWriter,
} from '#ledger';

/** A checkpoint as the ledger has it: that of a gap is known from outside. */
export interface RecordedCheckpoint {
  readonly entry: EntryOf<'Checkpoint'> | EntryOf<'LedgerGap'>;
  readonly number: bigint;
  readonly note: string;
}

export interface RecordedCheckpointsOptions {
  readonly configuration: Pick<Configuration, 'cluster'>;
  readonly port: Pick<CheckpointPort, 'ledgerId'>;
  readonly ledger: Pick<LedgerPort, 'newestEntry'>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
}

/** What the ledger says of its checkpoints. */
export class RecordedCheckpoints {
  readonly #options: RecordedCheckpointsOptions;

  constructor(options: RecordedCheckpointsOptions) {
    this.#options = options;
  }

  /** The last one: it is durable before its note is saved or given to anyone. @throws AdapterError */
  async last(): Promise<RecordedCheckpoint | null> {
    const { ledger } = this.#options;
    const checkpoint = await ledger.newestEntry({ stream: adminStream, kind: 'Checkpoint' });
    const gap = await ledger.newestEntry({ stream: adminStream, kind: 'LedgerGap' });
    const isGapLast = gap !== null && (checkpoint === null || gap.seq > checkpoint.seq);
    const entry = isGapLast ? gap : checkpoint;
    return entry === null ? null : { entry, number: BigInt(entry.payload.number), note: entry.payload.note };
  }

  /** Appends an entry; `what` is it that could not be recorded. @throws AdapterError */
  async append(draft: EntryDraft, what: string): Promise<void> {
    const appended = await this.#options.writer.append({ drafts: [draft] });
    if (appended.ok) return;
    throw new AdapterError({
      code: appended.error.code,
      message: `${what} could not be recorded: ${appended.error.code}`,
      retryable: true,
    });
  }

  /** What the notes of this ledger begin with. @throws AdapterError */
  async origin(): Promise<string> {
    const { port, configuration } = this.#options;
    return checkpointOrigin(configuration.cluster.name, await port.ledgerId());
  }
}
