import { err, ok, type Result } from '#kernel';
import { printableLines, printableTexts } from '../printable.ts';
import { UnusableError } from '../unusable-error.ts';
import { BatchedOutput } from './batched-output.ts';
import { LineDecider } from './decide-line.ts';
import type { Streams } from './decide-lines.ts';
import { explainDecision, type Paint } from './explain-decision.ts';
import { readDecision } from './read-decision.ts';
import { type Line, readLines } from './read-lines.ts';

/**
 * Prints the waterfall of every decision in the input, one line of JSON each. Entries of the ledger that hold none are
 * counted: an export has more of them than decisions.
 *
 * @returns the exit status: 1 after another line that holds no decision, or where there was none at all, else 0
 * @throws UnusableError where there is no line
 */
export async function explainLines({ input, output }: Streams, paint: Paint): Promise<0 | 1> {
  const decider = new LineDecider();
  const batched = new BatchedOutput(output);
  const counts = { explained: 0, bad: 0, passedOver: 0 };
  const print = (text: string): void =>
    batched.line(`${counts.explained + counts.bad > 0 ? '\n' : ''}${text}`);
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const text = readAndExplain(line, { decider, paint });
      const outcome = outcomeOf(text);
      if (outcome !== 'passedOver') print(text.ok ? text.value : `line ${line.number}: ${text.error}`);
      counts[outcome] += 1;
      await batched.flushFull();
    }
  }
  if (counts.passedOver > 0) print(passedOverText(counts.passedOver));
  await batched.flush();
  if (Object.values(counts).every((count) => count === 0))
    throw new UnusableError('there is no input, not one line: nothing was explained');
  return counts.explained === 0 || counts.bad > 0 ? 1 : 0;
}

function outcomeOf(text: Result<string, string | null>): 'explained' | 'bad' | 'passedOver' {
  if (text.ok) return 'explained';
  return text.error === null ? 'passedOver' : 'bad';
}

function passedOverText(count: number): string {
  return count === 1
    ? '1 entry of the ledger holds no decision, and is passed over'
    : `${count} entries of the ledger hold no decision, and are passed over`;
}

function readAndExplain(
  line: Line,
  { decider, paint }: { decider: LineDecider; paint: Paint },
): Result<string, string | null> {
  const explained = readDecision(line, decider);
  if (!explained.ok) return explained;
  try {
    return ok(printableLines(explainDecision(printableTexts(explained.value), paint)));
  } catch {
    // JSON of another kind, with the keys of a decision and other values behind them.
    return err('the decision is not complete');
  }
}
