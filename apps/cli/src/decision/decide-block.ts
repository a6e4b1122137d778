import type { LineDecider } from './decide-line.ts';
import type { Line } from './read-lines.ts';

/** Outputs of consecutive lines, one per line, without the last line end. */
export interface DecidedBlock {
  readonly text: string;
  readonly hasBadLine: boolean;
}

/** Decides consecutive lines. */
export function decideBlock(decider: LineDecider, lines: readonly Line[]): DecidedBlock {
  let hasBadLine = false;
  const texts = lines.map((line) => {
    const result = decider.decide(line);
    if (result.ok) return JSON.stringify(result.value);
    hasBadLine = true;
    return JSON.stringify({ error: result.error });
  });
  return { text: texts.join('\n'), hasBadLine };
}
