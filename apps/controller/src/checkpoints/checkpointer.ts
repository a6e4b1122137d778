import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { AdapterError, late, messageOf, withinTime } from '#kernel';
import {
  administrationScope,
  adminStream,
  type CheckpointBody,
  checkpointBodyText,
  type CheckpointPort,
  type FenceLookup,
  genesisHash,
  type LedgerPort,
  type LedgerWriter,
  maximumCheckpointSeconds,
  noteHash,
  parseCheckpointNote,
  publicKeyText,
  type SigningKey,
  signNote,
  type StreamHead,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import { shownReason } from '../logging/shown-reason.ts';
import { openCheckpointKeys, removeSuccession } from './checkpoint-key.ts';
import { type CheckpointPublisher, stopMilliseconds } from './checkpoint-publisher.ts';
import { Equivocation } from './equivocation.ts';
import { keepRotations, lostRotations } from './kept-rotations.ts';
import { successionOf } from './key-succession.ts';
import { requireMade } from './published-notes.ts';
import { type RecordedCheckpoint, RecordedCheckpoints } from './recorded-checkpoints.ts';
import { rootOfHeads } from './root-of-heads.ts';
import { SinkComparison } from './sink-comparison.ts';

/** A database that is locked at the end keeps the process from ending no longer than this. */
const lastMilliseconds = 2_000;

/** With the last checkpoint, and the last try at each sink. */
export const checkpointsCloseMilliseconds = lastMilliseconds + stopMilliseconds + 1_000;

export interface CheckpointerOptions {
  readonly configuration: Pick<Configuration, 'cluster' | 'dataFolder' | 'database' | 'checkpoints'>;
  readonly port: CheckpointPort;
  readonly ledger: Pick<LedgerPort, 'newestEntry' | 'entries' | 'streamEntries'>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly publisher: Pick<CheckpointPublisher, 'put' | 'lastNotes' | 'stop'>;
  readonly fences: FenceLookup;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Leaves time for making one, so that two are at most {@link maximumCheckpointSeconds} apart. */
const intervalMilliseconds = (maximumCheckpointSeconds - 10) * 1_000;

/**
 * Signs the heads of all streams, while entries arrive and at the end. It is part of the process that holds the scope of
 * administration, so that no two processes sign different things under one number.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #recorded: RecordedCheckpoints;
  readonly #comparison: SinkComparison;
  #failingSince: string | null = null;
  /** Why no checkpoint can be made, as it was logged last. */
  #reason: string | null = null;
  #shownReason: string | null = null;
  #publicKey: SigningKey['publicKey'] | null = null;
  #cancel: (() => void) | null = null;
  #current: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** Whether the note that was saved is the one that was recorded last, over the sealed heads; after a crash it may not be. */
  #isNoteOfHeads = false;
  /** The last that this process has made; null: none yet. */
  #made: { readonly number: bigint; readonly note: string } | null = null;
  /** Whether the data folder has the rotations of the key that the ledger has. */
  #areRotationsKept = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#recorded = new RecordedCheckpoints(options);
    this.#comparison = new SinkComparison(options, this.#recorded);
  }

  /** Since when no checkpoint can be made, RFC 3339; null: they can. */
  get failingSince(): string | null {
    return this.#failingSince;
  }

  /** Why none can be made, in one line for every viewer; null: they can, or another process tells why. */
  get failureReason(): string | null {
    return this.#shownReason;
  }

  /** The key that signs checkpoints, as notes name it; null: it was not opened. */
  get publicKey(): string | null {
    return this.#publicKey === null ? null : publicKeyText(this.#publicKey);
  }

  /** Resolves when no checkpoint is being made. */
  get whenMade(): Promise<void> {
    return this.#current;
  }

  /** Opens the key, and goes on from the last checkpoint. A key that is missing keeps nothing else from working. */
  async start(): Promise<void> {
    const { publisher } = this.#options;
    await this.#orReport(async () => {
      const { publicKey } = await this.#keyAfter(await this.#recorded.last());
      const last = await this.#recorded.last();
      // It may be that no sink got it before the end of the process.
      if (last !== null) publisher.put(last.note, publicKey);
    });
    this.#schedule();
  }

  /** Makes a last checkpoint, where the database takes it within two seconds; else the next start makes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    const last = this.#current.then(() => this.#orReport(() => this.#make()));
    if ((await withinTime(this.#options.clock, lastMilliseconds, last)) === late)
      this.#fail(new Error(`the last one was not recorded within ${lastMilliseconds} ms`));
    await this.#options.publisher.stop();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.schedule(intervalMilliseconds, () => {
      this.#current = this.#orReport(() => this.#make()).then(() => this.#schedule());
    });
  }

  async #orReport(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#noteSuccess();
    } catch (error) {
      this.#failingSince ??= this.#options.clock.now();
      // Another process seals by now: this one has said that it has lost what it held.
      const isFenced = error instanceof AdapterError && error.code === 'Fenced';
      if (!isFenced) this.#fail(error);
    }
  }

  /** Ends what was said: a failure that was another process's to tell of was not. */
  #noteSuccess(): void {
    if (this.#reason !== null)
      this.#options.logger.info({ since: this.#failingSince }, 'the ledger is sealed by checkpoints again');
    this.#failingSince = null;
    this.#reason = null;
    this.#shownReason = null;
  }

  /** What may be tampering is an error, whoever has caused it: nothing else says that the record cannot be trusted. */
  #fail(error: unknown): void {
    const { clock, logger } = this.#options;
    this.#failingSince ??= clock.now();
    const reason = messageOf(error);
    const level = error instanceof Equivocation ? 'error' : 'warn';
    if (reason !== this.#reason) logger[level]({ reason }, 'the ledger is not sealed by checkpoints');
    this.#reason = reason;
    this.#shownReason = shownReasonOf(error);
  }

  async #make(): Promise<void> {
    const { port, publisher, fences } = this.#options;
    const fence = fences.of(administrationScope);
    const key = await this.#keyAfter(await this.#recorded.last());
    const last = await this.#recorded.last();
    if (this.#made !== null) requireMade(this.#made, last);
    if (!(await this.#isDue(last))) return;
    await this.#requireSealedHeads();
    this.#isNoteOfHeads = false;
    await port.seal(fence);
    const note = await this.#sign(key, last);
    const number = (last?.number ?? 0n) + 1n;
    await this.#recorded.append(
      {
        stream: adminStream,
        kind: 'Checkpoint',
        time: this.#options.clock.now(),
        payload: { number: String(number), note },
      },
      `checkpoint ${number}`,
    );
    await port.saveNote(note, fence);
    this.#isNoteOfHeads = true;
    this.#made = { number, note };
    publisher.put(note, key.publicKey);
  }

  /** The key that signs next; that another takes its place is recorded first. */
  async #keyAfter(recorded: RecordedCheckpoint | null): Promise<SigningKey> {
    const { configuration, ledger, port, clock } = this.#options;
    const keys = await openCheckpointKeys(configuration, recorded === null);
    if (keys.kind === 'missing') throw new Error(keys.reason);
    const isRestored = (await port.restoredBackup()) !== null;
    // What a restore has lost may have been signed with the key that followed the backup's.
    if (isRestored) {
      await this.#recordLostRotations(keys.current);
      await this.#comparison.requireAgreement(recorded, keys.current);
    }
    const last = isRestored ? await this.#recorded.last() : recorded;
    if (last !== null) {
      const succession = await successionOf({ ledger, last, keys, time: clock.now() });
      if (succession.kind === 'Refused') throw new Error(succession.reason);
      if (succession.kind === 'NewKey') {
        await this.#recorded.append(succession.draft, 'the new key of the checkpoints');
        this.#areRotationsKept = false;
      }
      await this.#keepRotations();
      await removeSuccession(keys);
    }
    this.#noteKey(keys.current, keys.publicFile);
    await this.#comparison.requireAgreement(last, keys.current);
    return keys.current;
  }

  async #keepRotations(): Promise<void> {
    if (this.#areRotationsKept) return;
    const { ledger, configuration, logger } = this.#options;
    await keepRotations(ledger, configuration.dataFolder, logger);
    this.#areRotationsKept = true;
  }

  /** With them, the public key of before the restored backup goes on proving what the present one signs. */
  async #recordLostRotations(key: SigningKey): Promise<void> {
    const { ledger, configuration, clock } = this.#options;
    const of = { dataFolder: configuration.dataFolder, origin: await this.#recorded.origin(), key };
    for (const draft of await lostRotations(ledger, of, clock.now()))
      await this.#recorded.append(draft, 'a rotation of the key that the restore of a backup has lost');
  }

  #noteKey({ publicKey }: SigningKey, publicKeyFile: string): void {
    if (this.#publicKey?.equals(publicKey) === true) return;
    this.#publicKey = publicKey;
    this.#options.logger.info({ publicKeyFile }, 'the ledger is sealed by signed checkpoints');
  }

  /** @throws Equivocation where a stream does not go on from what the last checkpoint covers */
  async #requireSealedHeads(): Promise<void> {
    const contradiction = await this.#options.port.contradiction();
    if (contradiction === null) return;
    const { sealed, found } = contradiction;
    throw new Equivocation(
      `the last checkpoint covers ${headText(sealed)}, and the ledger has ` +
        (found === null ? 'no such entry' : headText(found)),
      `an entry that was sealed with the hash ${sealed.hash} ` +
        (found === null ? 'is not in the ledger any more' : `has the hash ${found.hash} now`),
    );
  }

  /** Whether something is new beside the entry of the last checkpoint, or what was begun has to be completed. */
  async #isDue(last: RecordedCheckpoint | null): Promise<boolean> {
    const unsealed = await this.#options.port.unsealedHeads();
    if (unsealed.some(({ stream, seq }) => stream !== adminStream || seq !== last?.entry.seq)) return true;
    this.#isNoteOfHeads ||= await this.#coversSealedHeads(last);
    return !this.#isNoteOfHeads;
  }

  /** Whether the last note was saved. A crash of an earlier release may have left sealed heads that it does not cover. */
  async #coversSealedHeads(last: RecordedCheckpoint | null): Promise<boolean> {
    const { port } = this.#options;
    const { root, streams } = await rootOfHeads((page) => port.sealedHeads(page));
    const saved = await port.lastNote();
    if (saved === null) return last === null && streams === 0n;
    return saved === last?.note && parseCheckpointNote(saved)?.body.root === root;
  }

  async #sign(key: SigningKey, last: RecordedCheckpoint | null): Promise<string> {
    const { clock, port } = this.#options;
    const body: CheckpointBody = {
      origin: await this.#recorded.origin(),
      number: (last?.number ?? 0n) + 1n,
      previous: last === null ? genesisHash : noteHash(last.note),
      ...(await rootOfHeads((page) => port.nextHeads(page))),
      time: clock.now(),
    };
    return signNote(checkpointBodyText(body), body.origin, key);
  }
}

function shownReasonOf(error: unknown): string {
  if (error instanceof Equivocation)
    return `the ledger contradicts what was sealed (equivocation): ${error.summary}; the log has both sides`;
  return shownReason(messageOf(error));
}

function headText({ stream, seq, hash }: StreamHead): string {
  return `${stream}#${seq} (${hash})`;
}
