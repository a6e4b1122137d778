import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { AdapterError, databaseCondition, messageOf } from '#kernel';
import {
  administrationScope,
  adminStream,
  type DeletedCounts,
  entryKinds,
  type ExpiryRule,
  type Fence,
  type FenceLookup,
  type LedgerWriter,
  type RetentionPort,
  type RetentionRunPayload,
  type StreamHead,
  timeNanoseconds,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import { deletesAnything } from '../configuration/deletes-anything.ts';
import { clockAhead, type DeletionTime } from '../database/deletion-time.ts';

export interface RetentionOptions {
  readonly configuration: Pick<Configuration, 'retention'>;
  readonly port: RetentionPort;
  /** Where the entries of the next months are stored: made before each run, and where nothing is deleted. */
  readonly partitions: { readonly makeAhead: () => Promise<void> };
  readonly time: Pick<DeletionTime, 'isDoubted' | 'requireTimeOfDatabase'>;
  /** Called after each run: the port is not used until the next. */
  readonly release?: () => Promise<void>;
  /** Under the scope of administration. */
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly fences: FenceLookup;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const intervalMilliseconds = 6 * 3_600_000;
/** While nothing can be deleted: a login that was set right is used soon. */
const retryMilliseconds = 600_000;
/** After the first sweeps, so that a start is not slower for it. */
const firstMilliseconds = 60_000;

/** Between two batches: appends have the writer for most of the time. */
const pauseMilliseconds = 20;

const dayNanoseconds = 86_400n * 1_000_000_000n;

/** That nothing can be deleted, since when, and why as far as every viewer may know it. */
export interface RetentionFailure {
  /** RFC 3339. */
  readonly since: string;
  readonly message: string;
}

/** Of a batch; the log says how many there are. */
const maximumNamedDamaged = 10;

/**
 * Deletes what the configuration's rules let go, every six hours. It is part of the process that holds the scope of
 * administration. What is about to be deleted is recorded before it is.
 */
export class Retention {
  readonly #options: RetentionOptions;
  #cancel: (() => void) | null = null;
  #current: Promise<void> = Promise.resolve();
  #isStopped = false;
  #failing: RetentionFailure | null = null;
  /** By which rules what has expired was recorded as about to be deleted, and then could not be; null: it was deleted. */
  #announced: readonly ExpiryRule[] | null = null;
  /** The segments that were recorded last as about to be deleted, and when. */
  #announcedSegments: { readonly text: string; readonly nanoseconds: bigint } | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Null: the last run deleted what had expired, or there was none yet. */
  get failing(): RetentionFailure | null {
    return this.#failing;
  }

  /** Resolves when nothing is being deleted. */
  get whenDone(): Promise<void> {
    return this.#current;
  }

  /** Runs where nothing is deleted, too: partitions are made, and segments of earlier releases may have no record that stays. */
  start(): void {
    this.#schedule(firstMilliseconds);
  }

  /** Ends after the batch that is being deleted; the next start goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#current;
  }

  #schedule(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.schedule(milliseconds, () => {
      this.#current = this.#makePartitions()
        .then(() => this.#runOrReport())
        .then(() => this.#schedule(this.#failing === null ? intervalMilliseconds : retryMilliseconds));
    });
  }

  /** Without them, entries are stored in the default partition, and moved later. */
  async #makePartitions(): Promise<void> {
    try {
      await this.#options.partitions.makeAhead();
    } catch (error) {
      this.#options.logger.warn(
        { reason: messageOf(error) },
        "the ledger's partitions of the next months could not be made; it is tried again with the next deletion",
      );
    }
  }

  async #runOrReport(): Promise<void> {
    try {
      await this.#run().finally(() => this.#options.release?.());
      this.#failing = null;
    } catch (error) {
      this.#failing = {
        since: this.#failing?.since ?? this.#options.clock.now(),
        message: failureText(error),
      };
      this.#options.logger.warn(
        { reason: messageOf(error) },
        'what has expired in the ledger could not be deleted; it is tried again in ten minutes',
      );
    }
  }

  async #run(): Promise<void> {
    const { configuration, clock, fences, logger, time } = this.#options;
    if (time.isDoubted && deletesAnything(configuration)) {
      logger.warn(
        { time: clock.now() },
        'nothing is deleted from the ledger: the clock was set forward; if it stays so, in six hours',
      );
      return;
    }
    // What fails again and again is announced once: an entry for each attempt would stay for years.
    const rules = this.#announced ?? expiryRules(configuration, clock.now());
    if (rules.length > 0) await time.requireTimeOfDatabase();
    const fence = fences.of(administrationScope);
    await this.#announceAgain(rules, fence);
    if (rules.length === 0) return;
    const contents = await this.#deleteContents(rules, fence);
    const single = await this.#deleteEntries(rules, fence);
    const entries = single + (this.#isStopped ? 0 : await this.#dropPeriods(fence));
    const deleted: DeletedCounts = { ...contents, entries };
    if (deleted.payloads + deleted.observations + deleted.entries === 0) return;
    await this.#record(rules, { segments: [], deleted });
    logger.info(deleted, 'deleted from the ledger what has expired');
  }

  /** What stands of deleted entries is recorded again before its record expires: a segment without one is a fault. */
  async #announceAgain(rules: readonly ExpiryRule[], fence: Fence): Promise<void> {
    const { port } = this.#options;
    const expired = rules.find(({ kind, content }) => kind === 'RetentionRun' && content === 'Payload');
    const before = expired?.beforeNanoseconds ?? 0n;
    // A clock that is set back by days meanwhile would announce the same segments for ever.
    for (let announced = before; announced >= before && !this.#isStopped;) {
      const segments = await port.segmentsAnnouncedBefore(before);
      if (segments.length === 0) return;
      announced = await this.#record(rules, { segments: segments.map(segmentOf), deleted: null });
      await port.saveAnnounced(segments, announced, fence);
    }
  }

  async #deleteContents(
    rules: readonly ExpiryRule[],
    fence: Fence,
  ): Promise<Pick<DeletedCounts, 'payloads' | 'observations'>> {
    const { port } = this.#options;
    const due: ExpiryRule[] = [];
    for (const rule of rules) if (await port.hasExpired(rule)) due.push(rule);
    if (due.length === 0) {
      // The attempt before deleted it and was not answered, or the replica that held the scope meanwhile did.
      this.#announced = null;
      return { payloads: 0, observations: 0 };
    }
    if (this.#announced === null) await this.#record(rules, { segments: [], deleted: null });
    this.#announced = rules;
    await port.saveRules(rules, fence);
    const counts = { Payload: 0, Observation: 0 };
    for (const rule of due) counts[rule.content] += await this.#deleteContent(rule, fence);
    this.#announced = null;
    return { payloads: counts.Payload, observations: counts.Observation };
  }

  async #deleteContent(rule: ExpiryRule, fence: Fence): Promise<number> {
    let count = 0;
    let after: Parameters<RetentionPort['deleteContent']>[1] = null;
    do {
      const batch = await this.#options.port.deleteContent(rule, after, fence);
      count += batch.deleted;
      if (batch.damaged.length > 0) {
        this.#options.logger.warn(
          { entries: batch.damaged.slice(0, maximumNamedDamaged), count: batch.damaged.length },
          'expired entries whose content does not give their hash are kept; "plimsoll audit verify" examines an export',
        );
      }
      ({ after } = batch);
      await pause(pauseMilliseconds);
    } while (after !== null && !this.#isStopped);
    return count;
  }

  async #deleteEntries(rules: readonly ExpiryRule[], fence: Fence): Promise<number> {
    let count = 0;
    for (let after: string | null = ''; after !== null && !this.#isStopped;) {
      const found = await this.#options.port.findSegments(rules, after);
      if (found.segments.length > 0) {
        const segments = found.segments.map(segmentOf);
        const announced = await this.#announceSegments(rules, segments);
        count += await this.#options.port.deleteSegments(found.segments, announced, fence);
        await pause(pauseMilliseconds);
      } else {
        ({ after } = found);
      }
    }
    return count;
  }

  async #dropPeriods(fence: Fence): Promise<number> {
    let entries = 0;
    for await (const count of this.#options.port.dropPeriods(fence)) {
      entries += count;
      await pause(pauseMilliseconds);
      if (this.#isStopped) break;
    }
    return entries;
  }

  /** Once a day, where their deletion fails again and again: no record expires within that. @returns when, as nanoseconds since 1970. */
  async #announceSegments(
    rules: readonly ExpiryRule[],
    segments: RetentionRunPayload['segments'],
  ): Promise<bigint> {
    const text = JSON.stringify(segments);
    const former = this.#announcedSegments;
    const dayAgo = (timeNanoseconds(this.#options.clock.now()) ?? 0n) - dayNanoseconds;
    if (former?.text === text && former.nanoseconds > dayAgo) return former.nanoseconds;
    const nanoseconds = await this.#record(rules, { segments, deleted: null });
    this.#announcedSegments = { text, nanoseconds };
    return nanoseconds;
  }

  /** @returns when, as nanoseconds since 1970. */
  async #record(
    rules: readonly ExpiryRule[],
    of: Pick<RetentionRunPayload, 'segments' | 'deleted'>,
  ): Promise<bigint> {
    const { writer, clock } = this.#options;
    const payload = { rules: rules.map(recordedRule), ...of };
    const appended = await writer.append({
      drafts: [{ stream: adminStream, kind: 'RetentionRun', time: clock.now(), payload }],
    });
    if (appended.ok) return appended.value[0]?.timeNanoseconds ?? 0n;
    throw new AdapterError({
      code: appended.error.code,
      message: `what is deleted could not be recorded: ${appended.error.code}`,
      retryable: true,
    });
  }
}

function failureText(error: unknown): string {
  const code = error instanceof AdapterError ? error.code : '';
  // It may be another user than the controller's own.
  const refused = 'it refuses the user that deletes (that of database.retentionUrl, where it is set)';
  const words = code === 'AccessDenied' ? refused : databaseCondition(code);
  const why = code === '' || code === clockAhead ? messageOf(error) : words;
  return `what has expired in the ledger cannot be deleted: ${why}`;
}

/**
 * The rules of a configuration at a time; none under a legal hold. Which keys have signed, and which checkpoints a
 * restore has lost, is known for ever.
 */
export function expiryRules(
  { retention }: Pick<Configuration, 'retention'>,
  now: string,
): readonly ExpiryRule[] {
  const time = timeNanoseconds(now);
  if (retention.legalHold || time === null) return [];
  const before = (days: number): bigint => time - BigInt(days) * dayNanoseconds;
  const payloads = entryKinds.flatMap((kind): readonly ExpiryRule[] => {
    if (kind === 'KeyRotation' || kind === 'KeyLost' || kind === 'LedgerGap') return [];
    const days = retention.kinds[kind] ?? retention.payloadDays;
    return days === undefined ? [] : [{ kind, content: 'Payload', beforeNanoseconds: before(days) }];
  });
  const { observationDays } = retention;
  return observationDays === undefined
    ? payloads
    : [{ kind: 'Decision', content: 'Observation', beforeNanoseconds: before(observationDays) }, ...payloads];
}

function recordedRule({
  kind,
  content,
  beforeNanoseconds,
}: ExpiryRule): RetentionRunPayload['rules'][number] {
  return { kind, content, before: new Date(Number(beforeNanoseconds / 1_000_000n)).toISOString() };
}

function segmentOf({ stream, seq, hash }: StreamHead): RetentionRunPayload['segments'][number] {
  return { stream, last: String(seq), hash };
}
