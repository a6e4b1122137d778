import { parentPort } from 'node:worker_threads';
import {
  type Batch,
  type BatchAnswer,
  type BatchMessage,
  parseBatch,
  readyMessage,
  unpackBatch,
} from '../batch-message.ts';

/** A parser's thread that does to certain files, and to those of certain folders, what a real one must never do. */
function misbehave({ kind, files }: Batch): BatchAnswer {
  return files.flatMap((source) => {
    const names = source.file.replace(/\.yaml$/, '').split('/');
    if (names.includes('hang')) for (;;);
    if (names.includes('die')) process.exit(1);
    if (names.includes('throw')) throw new Error('a bug');
    return parseBatch({ kind, files: [source] } as Batch);
  });
}

parentPort?.on('message', (message: BatchMessage) => {
  parentPort?.postMessage(misbehave(unpackBatch(message)));
});

parentPort?.postMessage(readyMessage);
