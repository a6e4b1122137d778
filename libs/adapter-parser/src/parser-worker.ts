import { parentPort } from 'node:worker_threads';
import { type BatchMessage, parseBatch, readyMessage, unpackBatch } from './batch-message.ts';

// Nothing here is told by the environment. The YAML library asks it twice whether to log, for each token and each document,
// and asking the system's costs a fifth of all parsing.
process.env = {};

parentPort?.on('message', (batch: BatchMessage) => {
  parentPort?.postMessage(parseBatch(unpackBatch(batch)));
});

parentPort?.postMessage(readyMessage);
