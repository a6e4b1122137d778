import { createWriteStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { AdapterError, messageOf } from '#kernel';
import {
  parsePeriod,
  parsePrice,
  type Price,
  type ReportFilter,
  type ReportFormat,
  type ReportRequest,
  type ReportVerification,
  writeReport,
} from '#report';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { openDatabaseReport, openExportReport, type OpenReport } from './report-sources.ts';

/** The options of `plimsoll report`. */
export interface ReportArguments {
  /** This or the folder of an export. */
  readonly database?: string;
  readonly passwordFile?: string;
  readonly from: string;
  readonly until?: string;
  readonly timeZone: string;
  readonly namespace?: readonly string[];
  readonly policy?: readonly string[];
  readonly team?: readonly string[];
  readonly teamLabel: string;
  readonly pricePerReplicaHour?: string;
  readonly currency?: string;
  readonly format: ReportFormat;
  readonly output?: string;
}

/**
 * Writes a report of a database or an export.
 *
 * @returns 0; 1 where the ledger does not verify
 * @throws UnusableError
 */
export async function writeAuditReport(
  folder: string | undefined,
  options: ReportArguments,
  terminal: Terminal,
): Promise<0 | 1> {
  const filter = filterOf(options);
  const price = priceOf(options);
  const source = await openSource(folder, options, filter);
  try {
    const { madeAt } = source.about;
    const request: ReportRequest = { period: periodOf(options, madeAt), filter, price };
    source.requireContent(request.period);
    const text = new ReportText(request, source, options.format);
    await writeText(text, options.output, terminal.output);
    const { status, fault } = text.verification;
    if (status !== 'Broken') return 0;
    terminal.messages.write(`plimsoll: the ledger does not verify: ${fault ?? ''}\n`);
    return 1;
  } catch (error) {
    if (error instanceof AdapterError || isOfSystem(error)) throw new UnusableError(messageOf(error));
    throw error;
  } finally {
    await source.close();
  }
}

/** The text of a report, and what verification came to when it has been read. */
class ReportText implements AsyncIterable<string> {
  readonly #portions: AsyncGenerator<string, ReportVerification>;
  verification: ReportVerification = { status: 'Broken', fault: 'the report was not read to its end' };

  constructor(request: ReportRequest, source: OpenReport, format: ReportFormat) {
    this.#portions = writeReport(request, source, format);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    this.verification = yield* this.#portions;
  }
}

function filterOf({ namespace, policy, team, teamLabel }: ReportArguments): ReportFilter {
  const strange = policy?.find((name) => !/^[^/\s]+\/[^/\s]+$/.test(name));
  if (strange !== undefined)
    throw new UnusableError(`${JSON.stringify(strange)} is no policy: it is named NAMESPACE/NAME`);
  return { namespaces: namespace ?? null, policies: policy ?? null, teams: team ?? null, teamLabel };
}

function priceOf({ pricePerReplicaHour, currency }: ReportArguments): Price | null {
  if (pricePerReplicaHour === undefined && currency === undefined) return null;
  const price = parsePrice(pricePerReplicaHour ?? '', currency ?? '');
  if (price !== null) return price;
  throw new UnusableError(
    'a price is --price-per-replica-hour with a decimal of at most six places, and --currency with a code such as EUR',
  );
}

/** Ends where the source was made, unless it is to end before. */
function periodOf({ from, until, timeZone }: ReportArguments, madeAt: string): ReportRequest['period'] {
  const parsed = parsePeriod({ from, until: until ?? madeAt, timeZone });
  if (!parsed.ok) throw new UnusableError(parsed.error);
  if (parsed.value.until > Date.parse(madeAt)) {
    throw new UnusableError(
      `the period ends after ${madeAt}, when the ledger was read: give an earlier --until`,
    );
  }
  return parsed.value;
}

function openSource(
  folder: string | undefined,
  { database, passwordFile }: ReportArguments,
  filter: ReportFilter,
): Promise<OpenReport> {
  if (folder !== undefined && database === undefined && passwordFile === undefined)
    return openExportReport(folder);
  if (folder === undefined && database !== undefined)
    return openDatabaseReport({ database, ...(passwordFile !== undefined && { passwordFile }) }, filter);
  throw new UnusableError('name the folder of an export, or --database (with --password-file)');
}

async function writeText(
  text: AsyncIterable<string>,
  file: string | undefined,
  output: Writable,
): Promise<void> {
  const input = Readable.from(text, { objectMode: false });
  if (file !== undefined) {
    await pipeline(input, createWriteStream(file, { mode: 0o600, flush: true }));
    return;
  }
  input.pipe(output, { end: false });
  await finished(input, { writable: false });
}

function isOfSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
