import { Worker } from 'node:worker_threads';
import { AdapterError } from '#kernel';
import type { ReportFormat, ReportRequest, ReportResult } from '#report';

/** A report that is to be made. */
export interface ReportTask {
  /** Of the database, with its password. */
  readonly url: string;
  readonly request: ReportRequest;
  readonly format: ReportFormat;
  /** Which is not there yet. */
  readonly file: string;
  readonly maximumBytes: number;
}

/** A report that was made. */
export interface MadeReport extends ReportResult {
  /** When the ledger was read, RFC 3339. */
  readonly madeAt: string;
  readonly bytes: number;
}

/** What the thread says at its end. */
export type ReportAnswer =
  | ({ readonly kind: 'Made' } & MadeReport)
  | { readonly kind: 'Failed'; readonly code: string; readonly message: string };

/**
 * Makes a report on a thread of its own, which ends with it.
 *
 * @throws AdapterError where it cannot be made, or the signal ended it
 */
export async function makeReport(task: ReportTask, signal: AbortSignal): Promise<MadeReport> {
  const isSource = import.meta.url.endsWith('.ts');
  const file = isSource ? './report-worker.ts' : './report-worker.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: task,
    ...(isSource ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
  });
  const { promise, resolve } = Promise.withResolvers<ReportAnswer>();
  const end = (): void => resolve(interrupted);
  worker.on('message', resolve);
  worker.on('error', ({ message }: Error) => resolve({ kind: 'Failed', code: 'ReportFailed', message }));
  worker.on('exit', end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const answer = await promise;
    if (answer.kind === 'Made') return answer;
    throw new AdapterError({ code: answer.code, message: answer.message, retryable: true });
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

const interrupted: ReportAnswer = {
  kind: 'Failed',
  code: 'ReportInterrupted',
  message: 'it was ended before it was made',
};
