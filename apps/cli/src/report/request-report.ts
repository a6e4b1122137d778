import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report, ReportRequest } from '#contracts';
import type { ReportResult } from '#report';
import { requiredText, understood } from '../forms/print-answer.ts';
import { refusalText } from '../forms/refusal-text.ts';
import { requireNamespaces } from '../namespace-argument.ts';
import type { Terminal } from '../run-command.ts';
import { ask, askText, RefusedError } from '../server/api-client.ts';
import { type KeptContext, loadContext } from '../server/contexts.ts';
import { reasonOf } from '../server/one-line.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ReportArguments } from './report-arguments.ts';

const pollMilliseconds = 1_000;

/** A report that a controller has made. */
export interface RequestedReport {
  readonly text: Readable;
  readonly result: ReportResult;
}

/**
 * Has a controller make a report, waits for it, and reads it.
 *
 * @throws UnusableError where there is no controller, or it makes none
 */
export async function requestReport(options: ReportArguments, terminal: Terminal): Promise<RequestedReport> {
  const context = await loadContext(options.context, terminal.environment);
  try {
    const { id, bytes, verification, nothingMatches } = await understood(context.server, () =>
      makeReport(context, bodyOf(options), terminal),
    );
    const text = await askText(context, { path: `/reports/${id}/text` });
    if (verification === null)
      throw new UnusableError(`the controller does not say whether the report verifies`);
    // A controller of before does not say it.
    return {
      text: Readable.from(allOf(text, bytes)),
      result: { verification, nothingMatches: nothingMatches ?? null },
    };
  } catch (error) {
    if (error instanceof RefusedError) throw new UnusableError(refusalText(error.problem, {}));
    throw error;
  }
}

/** The parts of a report's text. @throws UnusableError where it ends before it is whole, which its form need not show */
async function* allOf(text: Readable, bytes: Report['bytes']): AsyncGenerator<Buffer> {
  let came = 0;
  try {
    for await (const part of text as AsyncIterable<Buffer>) {
      came += part.length;
      yield part;
    }
  } catch (error) {
    throw cutOff(reasonOf(error));
  }
  if (bytes !== null && came !== bytes) throw cutOff(`${came} of its ${bytes} bytes came`);
}

function cutOff(why: string): UnusableError {
  return new UnusableError(`the report was cut off (${why}), and is not whole; ask for it again`);
}

async function makeReport(
  context: KeptContext,
  body: ReportRequest,
  { messages, isFollowed }: Terminal,
): Promise<Report> {
  let report = await ask<Report>(context, { method: 'POST', path: '/reports', body });
  requiredText(report.state);
  if (isFollowed) messages.write(`report ${report.id} is being made\n`);
  while (report.state === 'Waiting' || report.state === 'Making') {
    await delay(pollMilliseconds);
    report = await ask<Report>(context, { path: `/reports/${report.id}` });
  }
  if (report.state === 'Ready') return report;
  throw new UnusableError(`the report was not made: ${report.problem ?? 'no reason is known'}`);
}

function bodyOf(options: ReportArguments): ReportRequest {
  const { from, until, timeZone, namespace, policy, team, teamLabel, format } = options;
  requireNamespaces(namespace, 'Pattern');
  const { pricePerReplicaHour, currency } = options;
  return {
    ...{ from, timeZone, teamLabel, format },
    ...(until !== undefined && { until }),
    ...(namespace !== undefined && { namespaces: [...namespace] }),
    ...(policy !== undefined && { policies: [...policy] }),
    ...(team !== undefined && { teams: [...team] }),
    ...((pricePerReplicaHour !== undefined || currency !== undefined) && {
      price: { perReplicaHour: pricePerReplicaHour ?? '', currency: currency ?? '' },
    }),
  };
}
