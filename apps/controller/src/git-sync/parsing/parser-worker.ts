import { parentPort } from 'node:worker_threads';
import { readPolicyFile } from '#policy';
import { type BatchAnswer, type BatchMessage, readyMessage, unpackBatch } from './batch-message.ts';

parentPort?.on('message', (batch: BatchMessage) => {
  const answer: BatchAnswer = unpackBatch(batch).map(readPolicyFile);
  parentPort?.postMessage(answer);
});

parentPort?.postMessage(readyMessage);
