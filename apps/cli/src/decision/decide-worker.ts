import { parentPort } from 'node:worker_threads';
import { decideBlock } from './decide-block.ts';
import { LineDecider } from './decide-line.ts';
import type { Line } from './read-lines.ts';

const decider = new LineDecider();

parentPort?.on('message', (lines: readonly Line[]) => {
  parentPort?.postMessage(decideBlock(decider, lines));
});
