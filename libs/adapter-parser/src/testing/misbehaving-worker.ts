import { parentPort } from 'node:worker_threads';
import { readPolicyFile } from '#policy';
import { parseOverlayFile } from '#repository';
import { type BatchMessage, readyMessage, unpackBatch } from '../batch-message.ts';

/** A parser's thread that does to certain files, and to those of certain folders, what a real one must never do. */
function misbehave<T extends { readonly file: string }, U>(read: (file: T) => U): (file: T) => U {
  return (source) => {
    const names = source.file.replace(/\.yaml$/, '').split('/');
    if (names.includes('hang')) for (;;);
    if (names.includes('die')) process.exit(1);
    if (names.includes('throw')) throw new Error('a bug');
    return read(source);
  };
}

parentPort?.on('message', (message: BatchMessage) => {
  const batch = unpackBatch(message);
  parentPort?.postMessage(
    batch.kind === 'Policies'
      ? batch.files.map(misbehave(readPolicyFile))
      : batch.files.map(misbehave(parseOverlayFile)),
  );
});

parentPort?.postMessage(readyMessage);
