import { appendFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { AdapterError, messageOf } from '#kernel';
import {
  administrationScope,
  adminStream,
  type CheckpointBody,
  checkpointBodyText,
  checkpointOrigin,
  type CheckpointPort,
  type EntryOf,
  exportedHead,
  type FenceLookup,
  genesisHash,
  isSignedWith,
  type LedgerPort,
  type LedgerWriter,
  maximumCheckpointSeconds,
  maximumPageLimit,
  merkleLeaf,
  MerkleRoot,
  noteHash,
  parseCheckpointNote,
  type SigningKey,
  signNote,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import { openCheckpointKey } from './checkpoint-key.ts';

export interface CheckpointerOptions {
  readonly configuration: Pick<Configuration, 'cluster' | 'dataFolder' | 'database' | 'checkpoints'>;
  readonly port: CheckpointPort;
  readonly ledger: Pick<LedgerPort, 'newestEntry'>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly fences: FenceLookup;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Leaves time for making one, so that two are at most {@link maximumCheckpointSeconds} apart. */
const intervalMilliseconds = (maximumCheckpointSeconds - 10) * 1_000;

/** A checkpoint as it was recorded. */
interface Recorded {
  readonly entry: EntryOf<'Checkpoint'>;
  readonly number: bigint;
  readonly note: string;
}

/**
 * Signs the heads of all streams, while entries arrive and at the end. It is part of the process that holds the scope of
 * administration, so that no two processes sign different things under one number.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #key: SigningKey | null = null;
  #failingSince: string | null = null;
  #cancel: (() => void) | null = null;
  #current: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** Whether the heads that were taken over last are those that the last note covers; after a crash they may be later. */
  #isNoteOfHeads = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Since when no checkpoint can be made, RFC 3339; null: they can. */
  get failingSince(): string | null {
    return this.#failingSince;
  }

  /** Resolves when no checkpoint is being made. */
  get whenMade(): Promise<void> {
    return this.#current;
  }

  /** Opens the key, and goes on from the last checkpoint. A key that is missing keeps nothing else from working. */
  async start(): Promise<void> {
    const { configuration, logger } = this.#options;
    try {
      const last = await this.#lastRecorded();
      const opened = await openCheckpointKey(configuration, last === null);
      if (opened.kind === 'missing') {
        this.#fail(opened.reason);
      } else if (last !== null && !isSignedBy(last.note, opened.key)) {
        this.#fail(`checkpoint ${last.number} was signed with another key`);
      } else {
        this.#key = opened.key;
        logger.info({ publicKeyFile: opened.publicFile }, 'the ledger is sealed by signed checkpoints');
        this.#schedule();
      }
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  /** Makes a last checkpoint. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#current;
    if (this.#key !== null) await this.#makeOrReport(this.#key);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.schedule(intervalMilliseconds, () => {
      if (this.#key !== null) this.#current = this.#makeOrReport(this.#key).then(() => this.#schedule());
    });
  }

  async #makeOrReport(key: SigningKey): Promise<void> {
    try {
      await this.#make(key);
      this.#failingSince = null;
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  #fail(reason: string): void {
    const { clock, logger } = this.#options;
    this.#failingSince ??= clock.now();
    logger.warn({ reason }, 'the ledger is not sealed by checkpoints');
  }

  async #make(key: SigningKey): Promise<void> {
    const { port, fences } = this.#options;
    const fence = fences.of(administrationScope);
    const last = await this.#lastRecorded();
    if (!(await this.#isDue(last))) return;
    this.#isNoteOfHeads = false;
    await port.seal(fence);
    const note = await this.#sign(key, last);
    await this.#record(note, (last?.number ?? 0n) + 1n);
    await port.saveNote(note, fence);
    this.#isNoteOfHeads = true;
    const { outputFile } = this.#options.configuration.checkpoints;
    if (outputFile !== undefined) await appendFile(outputFile, `${note}\n`, { mode: 0o644, flush: true });
  }

  /** Whether something is new beside the entry of the last checkpoint, or what was begun has to be completed. */
  async #isDue(last: Recorded | null): Promise<boolean> {
    const unsealed = await this.#options.port.unsealedHeads();
    if (unsealed.some(({ stream, seq }) => stream !== adminStream || seq !== last?.entry.seq)) return true;
    this.#isNoteOfHeads ||= await this.#coversSealedHeads(last);
    return !this.#isNoteOfHeads;
  }

  /** Whether the last note was saved, and no crash has left heads without one since. */
  async #coversSealedHeads(last: Recorded | null): Promise<boolean> {
    const { root, streams } = await this.#rootOfSealedHeads();
    const saved = await this.#options.port.lastNote();
    if (saved === null) return last === null && streams === 0n;
    return saved === last?.note && parseCheckpointNote(saved)?.body.root === root;
  }

  async #sign(key: SigningKey, last: Recorded | null): Promise<string> {
    const { port, clock, configuration } = this.#options;
    const body: CheckpointBody = {
      origin: checkpointOrigin(configuration.cluster.name, await port.ledgerId()),
      number: (last?.number ?? 0n) + 1n,
      previous: last === null ? genesisHash : noteHash(last.note),
      ...(await this.#rootOfSealedHeads()),
      time: clock.now(),
    };
    return signNote(checkpointBodyText(body), body.origin, key);
  }

  async #rootOfSealedHeads(): Promise<Pick<CheckpointBody, 'streams' | 'entries' | 'root'>> {
    const tree = new MerkleRoot();
    let entries = 0n;
    let after = '';
    for (;;) {
      const heads = await this.#options.port.sealedHeads({ after, limit: maximumPageLimit });
      for (const head of heads) {
        tree.add(merkleLeaf(exportedHead(head)));
        entries += head.seq;
        after = head.stream;
      }
      if (heads.length < maximumPageLimit) break;
    }
    return { streams: BigInt(tree.size), entries, root: Buffer.from(tree.root).toString('hex') };
  }

  async #record(note: string, number: bigint): Promise<void> {
    const { writer, clock } = this.#options;
    const appended = await writer.append({
      drafts: [
        {
          stream: adminStream,
          kind: 'Checkpoint',
          time: clock.now(),
          payload: { number: String(number), note },
        },
      ],
    });
    if (appended.ok) return;
    throw new AdapterError({
      code: appended.error.code,
      message: `checkpoint ${number} could not be recorded: ${appended.error.code}`,
      retryable: true,
    });
  }

  /** What the ledger says is the last: it is durable before the note is saved or given to anyone. */
  async #lastRecorded(): Promise<Recorded | null> {
    const entry = await this.#options.ledger.newestEntry({ stream: adminStream, kind: 'Checkpoint' });
    return entry === null ? null : { entry, number: BigInt(entry.payload.number), note: entry.payload.note };
  }
}

function isSignedBy(text: string, { publicKey }: SigningKey): boolean {
  const note = parseCheckpointNote(text);
  return note !== null && isSignedWith(note, publicKey);
}
