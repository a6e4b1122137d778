import { adminStream, type LedgerPort, parseCheckpointNote } from '#ledger';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { CheckpointPublisher, SinkState } from '../../checkpoints/checkpoint-publisher.ts';
import type { Checkpointer } from '../../checkpoints/checkpointer.ts';

/** How far the ledger is sealed, and where its checkpoints are. */
export interface LedgerSeal {
  /** The newest checkpoint; null: none was made yet. */
  readonly last: {
    readonly number: string;
    /** RFC 3339. */
    readonly time: string;
    readonly streams: string;
    readonly entries: string;
    readonly root: string;
    readonly note: string;
  } | null;
  /** Since when none can be made, RFC 3339; null: they can. */
  readonly failingSince: string | null;
  /** Base64 of its 32 bytes; null: this process has not opened it. */
  readonly publicKey: string | null;
  readonly sinks: readonly SinkState[];
}

/** Tells how far the ledger is sealed; it is about all namespaces at once. */
export class CheckpointStatus {
  readonly #ports: {
    readonly ledger: Pick<LedgerPort, 'newestEntry'>;
    readonly checkpointer: Pick<Checkpointer, 'failingSince' | 'publicKey'>;
    readonly publisher: Pick<CheckpointPublisher, 'states'>;
  };

  constructor(ports: {
    readonly ledger: Pick<LedgerPort, 'newestEntry'>;
    readonly checkpointer: Pick<Checkpointer, 'failingSince' | 'publicKey'>;
    readonly publisher: Pick<CheckpointPublisher, 'states'>;
  }) {
    this.#ports = ports;
  }

  /** Null: the caller may not view every namespace. */
  async find(caller: Principal): Promise<LedgerSeal | null> {
    if (!mayAct(caller, 'viewer', null)) return null;
    const { ledger, checkpointer, publisher } = this.#ports;
    const entry = await ledger.newestEntry({ stream: adminStream, kind: 'Checkpoint' });
    const { failingSince, publicKey } = checkpointer;
    return {
      last: entry === null ? null : lastOf(entry.payload.note),
      failingSince,
      publicKey,
      sinks: publisher.states,
    };
  }
}

function lastOf(note: string): LedgerSeal['last'] {
  const body = parseCheckpointNote(note)?.body;
  if (body === undefined) return null;
  const { number, time, streams, entries, root } = body;
  return { number: `${number}`, time, streams: `${streams}`, entries: `${entries}`, root, note };
}
