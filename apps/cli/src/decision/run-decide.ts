import type { Readable, Writable } from 'node:stream';
import { LineDecider } from './decide-line.ts';
import { BatchedOutput } from './output.ts';
import { readLines } from './read-lines.ts';

/** Where inputs come from and outputs go. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Reads one input a line and prints one output a line, in order. A bad line prints its error and the run goes on.
 *
 * @returns the exit status: 1 after any bad line, else 0
 */
export async function runDecide({ input, output }: Streams): Promise<0 | 1> {
  const decider = new LineDecider();
  const batched = new BatchedOutput(output);
  let status: 0 | 1 = 0;
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const result = decider.decide(line);
      if (!result.ok) status = 1;
      batched.line(JSON.stringify(result.ok ? result.value : { error: result.error }));
      await batched.settle();
    }
  }
  await batched.flush();
  return status;
}
