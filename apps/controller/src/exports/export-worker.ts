import { parentPort, workerData } from 'node:worker_threads';
import { LedgerReader } from '#adapter-sql';
import { AdapterError, fileFault } from '#kernel';
import { type ExportAnswer, exportLines, type ExportRequest } from './export-lines.ts';

/** Makes the lines of an export beside the thread that reconciles; each portion is made when it is asked for. */
async function run({ url, ...request }: ExportRequest & { readonly url: string }): Promise<void> {
  const reader = await LedgerReader.open(url);
  const lines = exportLines(reader, request);
  const next = async (): Promise<void> => {
    const { value, done } = await lines.next();
    answer(done === true ? { kind: 'End' } : { kind: 'Lines', text: value });
    if (done !== true) return;
    await reader.close();
    parentPort?.close();
  };
  parentPort?.on('message', () => {
    next().catch(fail);
  });
  answer({ kind: 'Opened' });
}

function answer(message: ExportAnswer): void {
  parentPort?.postMessage(message);
}

function fail(error: unknown): void {
  const code = error instanceof AdapterError ? error.code : 'ExportFailed';
  answer({ kind: 'Failed', code, message: fileFault(error) });
  parentPort?.close();
}

run(workerData as ExportRequest & { readonly url: string }).catch(fail);
