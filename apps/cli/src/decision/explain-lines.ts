import { err, ok, type Result } from '#kernel';
import { printableLines } from '../printable.ts';
import { UnusableError } from '../unusable-error.ts';
import { BatchedOutput } from './batched-output.ts';
import { LineDecider } from './decide-line.ts';
import type { Streams } from './decide-lines.ts';
import { explainDecision, type Paint } from './explain-decision.ts';
import { readDecision } from './read-decision.ts';
import { type Line, readLines } from './read-lines.ts';

/**
 * Prints the waterfall of every decision in the input, one line of JSON each.
 *
 * @returns the exit status: 1 after a line that holds no decision, else 0
 * @throws UnusableError where there is no line
 */
export async function explainLines({ input, output }: Streams, paint: Paint): Promise<0 | 1> {
  const decider = new LineDecider();
  const batched = new BatchedOutput(output);
  let status: 0 | 1 = 0;
  let separator = '';
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const text = readAndExplain(line, { decider, paint });
      if (!text.ok) status = 1;
      batched.line(separator + (text.ok ? text.value : `line ${line.number}: ${text.error}`));
      separator = '\n';
      await batched.flushFull();
    }
  }
  await batched.flush();
  if (separator === '') throw new UnusableError('there is no input, not one line: nothing was explained');
  return status;
}

function readAndExplain(
  line: Line,
  { decider, paint }: { decider: LineDecider; paint: Paint },
): Result<string, string> {
  const explained = readDecision(line, decider);
  if (!explained.ok) return explained;
  try {
    return ok(printableLines(explainDecision(explained.value, paint)));
  } catch {
    // JSON of another kind, with the keys of a decision and other values behind them.
    return err('the decision is not complete');
  }
}
