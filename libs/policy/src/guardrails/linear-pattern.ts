import { RE2JS } from 're2js';
import { err, messageOf, ok, type Result } from '#kernel';
import type { StepBudget } from './step-budget.ts';

/** A regular expression in RE2's syntax, which is CEL's: without back-references and look-around. */
export interface LinearPattern {
  /** Whether it matches anywhere in the text, in time proportional to the text. */
  readonly test: (text: string, budget: StepBudget) => boolean;
}

/** Longer patterns cannot be reviewed. */
const maximumLength = 1000;
/** The largest program that is compiled, before repetitions are counted exactly: about 20 ms. */
const maximumProgram = 10_000;
/** What compiling one instruction takes. */
const stepsPerInstruction = 10;
const repetition = /\{(\d{1,6})(?:,(\d{0,6}))?\}/g;

/** Compiles a pattern. Errors: one sentence. */
export function compilePattern(pattern: string, budget?: StepBudget): Result<LinearPattern, string> {
  const instructions = pattern.length > maximumLength ? Infinity : largestProgram(pattern);
  if (instructions > maximumProgram) {
    return err(
      `a pattern comes to over ${maximumProgram} characters with its repetitions; count less, or use * and +`,
    );
  }
  budget?.take(instructions * stepsPerInstruction);
  try {
    const compiled = RE2JS.compile(pattern);
    const size = compiled.programSize();
    return ok({
      test: (text, steps) => {
        steps.take(size * (1 + text.length));
        return compiled.test(text);
      },
    });
  } catch (error) {
    return err(`the pattern is not valid in RE2's syntax: ${messageOf(error)}`);
  }
}

/** An upper bound of the instructions: counted repetitions are written out, those in each other as their product. */
function largestProgram(pattern: string): number {
  let times = 1;
  for (const [, least = '', most = ''] of pattern.matchAll(repetition))
    times += Math.max(Number(least), Number(most));
  return pattern.length * times;
}
