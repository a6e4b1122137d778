import { parentPort } from 'node:worker_threads';
import { type PolicyFile, type PolicyFileSource, readPolicyFile } from '#policy';
import { type BatchMessage, readyMessage, unpackBatch } from '../batch-message.ts';

/** A parser's thread that does to certain files what a real one must never do. */
function misbehave(source: PolicyFileSource): PolicyFile {
  const name = source.file.split('/').at(-1);
  if (name === 'hang.yaml') for (;;);
  if (name === 'die.yaml') process.exit(1);
  if (name === 'throw.yaml') throw new Error('a bug');
  return readPolicyFile(source);
}

parentPort?.on('message', (batch: BatchMessage) => {
  parentPort?.postMessage(unpackBatch(batch).map(misbehave));
});

parentPort?.postMessage(readyMessage);
