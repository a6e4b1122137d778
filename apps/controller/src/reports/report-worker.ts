import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LedgerReader } from '#adapter-sql';
import { makeFolder } from '#files';
import { AdapterError, fileFault } from '#kernel';
import { databaseSource, type ReportResult, writeReport } from '#report';
import { requireSnapshot } from '../exports/export-lines.ts';
import type { ReportAnswer, ReportTask } from './report-thread.ts';
import { unusableFile } from './unusable-place.ts';

const everything = { from: null, until: null, namespaces: null, policies: null, kinds: null } as const;

/** Makes one report into a file, beside the thread that reconciles. */
async function run({ url, request, format, file, maximumBytes }: ReportTask): Promise<ReportAnswer> {
  const reader = await LedgerReader.open(url);
  try {
    const madeAt = new Date().toISOString();
    const snapshot = await requireSnapshot(reader, everything);
    const source = databaseSource(reader, snapshot, { filter: request.filter, madeAt });
    const text = new BoundedText(writeReport(request, source, format), maximumBytes);
    await writeInto(file, text);
    return { kind: 'Made', madeAt, bytes: text.bytes, ...text.result };
  } finally {
    await reader.close();
  }
}

/** @throws AdapterError where the file takes no text: a full disk names none. */
async function writeInto(file: string, text: AsyncIterable<string>): Promise<void> {
  // It may be gone since the start, as where somebody tidied up.
  await makeFolder(dirname(file), 0o700).catch((error: unknown) => {
    throw unusableFile(file, error);
  });
  const written = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });
  let fault: Error | undefined;
  written.once('error', (error: Error) => (fault = error));
  await pipeline(text, written).catch((error: unknown) => {
    if (error !== fault) throw error;
    throw unusableFile(file, error);
  });
}

/** The text of a report, which fails where it grows beyond its bound. */
class BoundedText implements AsyncIterable<string> {
  readonly #portions: AsyncGenerator<string, ReportResult>;
  readonly #maximumBytes: number;
  bytes = 0;
  result: ReportResult = {
    verification: { status: 'Broken', fault: 'the report was not read to its end' },
    nothingMatches: null,
  };

  constructor(portions: AsyncGenerator<string, ReportResult>, maximumBytes: number) {
    this.#portions = portions;
    this.#maximumBytes = maximumBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const { value, done } = await this.#portions.next();
      if (done === true) {
        this.result = value;
        return;
      }
      this.bytes += Buffer.byteLength(value);
      if (this.bytes > this.#maximumBytes) throw tooLarge(this.#maximumBytes);
      yield value;
    }
  }
}

function tooLarge(maximumBytes: number): AdapterError {
  const message = `the report is larger than ${maximumBytes / 1024 ** 2} MiB: ask for a shorter period, or for fewer namespaces`;
  return new AdapterError({ code: 'ReportTooLarge', message, retryable: false });
}

function failureOf(error: unknown): ReportAnswer {
  const code = error instanceof AdapterError ? error.code : 'ReportFailed';
  return { kind: 'Failed', code, message: fileFault(error) };
}

parentPort?.postMessage(await run(workerData as ReportTask).catch(failureOf));
