import { parentPort } from 'node:worker_threads';
import { type BatchMessage, parseBatch, readyMessage, unpackBatch } from './batch-message.ts';

parentPort?.on('message', (batch: BatchMessage) => {
  parentPort?.postMessage(parseBatch(unpackBatch(batch)));
});

parentPort?.postMessage(readyMessage);
