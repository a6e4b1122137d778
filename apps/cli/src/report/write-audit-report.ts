import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AdapterError, fileFault } from '#kernel';
import {
  parsePeriod,
  parsePrice,
  type Price,
  type ReportFilter,
  type ReportFormat,
  type ReportRequest,
  type ReportResult,
  writeReport,
} from '#report';
import { requireNamespaces } from '../namespace-argument.ts';
import type { Terminal } from '../run-command.ts';
import { onOneLine } from '../server/one-line.ts';
import { dateOrTimeBefore } from '../server/time-after.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ReportArguments } from './report-arguments.ts';
import { openDatabaseReport, openExportReport, type OpenReport } from './report-sources.ts';
import { writeWholeFile } from './write-whole-file.ts';

/**
 * Writes a report of a database or an export, or one that a controller makes.
 *
 * @returns 0; 1 where the ledger does not verify, or nothing matches the filter
 * @throws UnusableError
 */
export async function writeAuditReport(
  folder: string | undefined,
  given: ReportArguments,
  terminal: Terminal,
): Promise<0 | 1> {
  const options = withTimes(given);
  const filter = filterOf(options);
  const price = priceOf(options);
  const { database, passwordFile } = options;
  if (folder === undefined && database === undefined && passwordFile === undefined)
    return writeRequestedReport(options, terminal);
  if (options.context !== undefined)
    throw new UnusableError('--context names a controller, beside which there is no export and no database');
  const source = await openSource(folder, options, filter);
  try {
    const { madeAt } = source.about;
    const request: ReportRequest = { period: periodOf(options, madeAt), filter, price };
    source.requireContent(request.period);
    const text = new ReportText(request, source, options.format);
    await writeText(Readable.from(text, { objectMode: false }), options.output, terminal.output);
    return statusOf(text.result, terminal);
  } catch (error) {
    throw unusable(error);
  } finally {
    await source.close();
  }
}

/** What is so long ago is a time from here on, for the controller, too. */
function withTimes({ from, until, ...options }: ReportArguments): ReportArguments {
  const now = Date.now();
  return {
    ...options,
    from: dateOrTimeBefore('--from', from, now),
    ...(until !== undefined && { until: dateOrTimeBefore('--until', until, now) }),
  };
}

async function writeRequestedReport(options: ReportArguments, terminal: Terminal): Promise<0 | 1> {
  const { requestReport } = await import('./request-report.ts');
  try {
    const { text, result } = await requestReport(options, terminal);
    await writeText(text, options.output, terminal.output);
    return statusOf(result, terminal);
  } catch (error) {
    throw unusable(error);
  }
}

function statusOf({ verification, nothingMatches }: ReportResult, { messages }: Terminal): 0 | 1 {
  const { status, fault } = verification;
  if (status === 'Broken') messages.write(`plimsoll: the ledger does not verify: ${fault ?? ''}\n`);
  if (nothingMatches !== null) messages.write(`plimsoll: nothing matches: ${onOneLine(nothingMatches)}\n`);
  return status === 'Broken' || nothingMatches !== null ? 1 : 0;
}

function unusable(error: unknown): unknown {
  return error instanceof AdapterError || isOfSystem(error) ? new UnusableError(fileFault(error)) : error;
}

/** The text of a report, and what it came to when it has been read. */
class ReportText implements AsyncIterable<string> {
  readonly #portions: AsyncGenerator<string, ReportResult>;
  result: ReportResult = {
    verification: { status: 'Broken', fault: 'the report was not read to its end' },
    nothingMatches: null,
  };

  constructor(request: ReportRequest, source: OpenReport, format: ReportFormat) {
    this.#portions = writeReport(request, source, format);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    this.result = yield* this.#portions;
  }
}

function filterOf({ namespace, policy, team, teamLabel }: ReportArguments): ReportFilter {
  const strange = policy?.find((name) => !/^[^/\s]+\/[^/\s]+$/.test(name));
  if (strange !== undefined)
    throw new UnusableError(`${JSON.stringify(strange)} is no policy: it is named NAMESPACE/NAME`);
  requireNamespaces(namespace, 'Pattern');
  return {
    namespaces: namespace ?? null,
    policies: policy ?? null,
    teams: team ?? null,
    teamLabel,
    visibleNamespaces: null,
  };
}

function priceOf({ pricePerReplicaHour, currency }: ReportArguments): Price | null {
  if (pricePerReplicaHour === undefined && currency === undefined) return null;
  const price = parsePrice(pricePerReplicaHour ?? '', currency ?? '');
  if (price !== null) return price;
  const given = Object.entries({ '--price-per-replica-hour': pricePerReplicaHour, '--currency': currency })
    .map(([option, text]) => (text === undefined ? `no ${option}` : `${option} ${JSON.stringify(text)}`))
    .join(' and ');
  throw new UnusableError(
    `${given} is no price: it wants --price-per-replica-hour with a decimal of at most six places, such as 0.045, and --currency with a code such as EUR`,
  );
}

const optionNames = { from: '--from', until: '--until', timeZone: '--time-zone' };

/** Ends where the source was made, unless it is to end before. */
function periodOf({ from, until, timeZone }: ReportArguments, madeAt: string): ReportRequest['period'] {
  const parsed = parsePeriod({ from, until: until ?? madeAt, timeZone }, optionNames);
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

async function writeText(input: Readable, file: string | undefined, output: Writable): Promise<void> {
  if (file !== undefined) {
    await writeWholeFile(file, input);
    return;
  }
  input.pipe(output, { end: false });
  await finished(input, { writable: false });
}

function isOfSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
