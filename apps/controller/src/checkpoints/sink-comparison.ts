import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import {
  administrationScope,
  adminStream,
  type CheckpointPort,
  type FenceLookup,
  type LedgerPort,
  parseCheckpointNote,
  type SigningKey,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { CheckpointPublisher } from './checkpoint-publisher.ts';
import {
  compareWithPublished,
  notesOf,
  type PublishedNote,
  statedNote,
  unknownReasons,
} from './published-notes.ts';
import type { RecordedCheckpoint, RecordedCheckpoints } from './recorded-checkpoints.ts';
import { readStatedCheckpoint, removeStatedCheckpoint, statedFile } from './stated-checkpoint.ts';

export interface SinkComparisonOptions {
  readonly configuration: Pick<Configuration, 'dataFolder'>;
  readonly port: Pick<CheckpointPort, 'restoredBackup' | 'forgetRestoredBackup' | 'raiseEpochs'>;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly publisher: Pick<CheckpointPublisher, 'lastNotes'>;
  readonly fences: FenceLookup;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Compares the ledger, once, with the checkpoints that sinks have: one that has gone back, as the restore of a backup
 * makes it, goes on after what is known outside.
 */
export class SinkComparison {
  readonly #options: SinkComparisonOptions;
  readonly #recorded: RecordedCheckpoints;
  #isDone = false;

  constructor(options: SinkComparisonOptions, recorded: RecordedCheckpoints) {
    this.#options = options;
    this.#recorded = recorded;
  }

  /** To be called before anything is signed. @throws Error where the ledger and a sink contradict each other */
  async requireAgreement(last: RecordedCheckpoint | null, key: SigningKey): Promise<void> {
    if (this.#isDone) return;
    const { port, ledger, fences, clock, logger } = this.#options;
    const backup = await port.restoredBackup();
    const published = await this.#publishedNotes(key, backup);
    await this.#goOnFrom(published, last);
    const gap = await compareWithPublished({ ledger, last, published, backup });
    if (gap !== null) {
      await this.#recorded.append(
        { stream: adminStream, kind: 'LedgerGap', time: clock.now(), payload: { ...gap } },
        'what the restore of a backup has lost',
      );
      const { number, restored } = gap;
      logger.warn({ backup, published: number, restored }, 'checkpoints after the restored backup are lost');
    }
    if (backup !== null) {
      await port.forgetRestoredBackup(fences.of(administrationScope));
      await removeStatedCheckpoint(this.#options.configuration.dataFolder);
    }
    this.#isDone = true;
  }

  /**
   * A database that was put back gives epochs out again that processes have had after it. How many is not known, but there
   * is at most one per second, so that the time of the last checkpoint outside is beyond them.
   *
   * @throws Error where epochs were raised: this process is fenced by that, and starts anew
   */
  async #goOnFrom(published: readonly PublishedNote[], last: RecordedCheckpoint | null): Promise<void> {
    const { port, fences } = this.#options;
    const times = published
      .filter(({ number }) => number > (last?.number ?? 0n))
      .map(({ note }) => Date.parse(parseCheckpointNote(note)?.body.time ?? ''))
      .filter((time) => !Number.isNaN(time));
    if (times.length === 0) return;
    const floor = BigInt(Math.floor(Math.max(...times) / 1_000));
    if (await port.raiseEpochs(floor, fences.of(administrationScope)))
      throw new Error(`the database is older than a checkpoint outside it; its epochs go on after ${floor}`);
  }

  /**
   * Those of this ledger. What anyone may have written to a sink stops nothing; the sink itself is told to fail.
   *
   * @throws Error where a restored ledger cannot know what is published, and no operator says it
   */
  async #publishedNotes(key: SigningKey, backup: string | null): Promise<readonly PublishedNote[]> {
    const { publisher, configuration } = this.#options;
    const origin = await this.#recorded.origin();
    const { notes, unread } = await publisher.lastNotes();
    const { signed, unsigned } = notesOf(notes, { origin, publicKey: key.publicKey });
    if (backup === null) return signed;
    const stated = await readStatedCheckpoint(configuration.dataFolder, origin);
    if (stated !== null) return [...signed, ...statedNote(stated)];
    const last = (await this.#recorded.last())?.number ?? 0n;
    const reasons = unknownReasons(
      unsigned.filter(({ number }) => number > last),
      unread,
    );
    if (reasons.length === 0) return signed;
    throw new Error(
      `the database was restored from a backup of ${backup}; what was published since is not known: ` +
        `${reasons.join('; ')}. Put the last checkpoint that was published into ${statedFile(configuration.dataFolder)}, ` +
        'or leave that file empty where there is none after the backup',
    );
  }
}
