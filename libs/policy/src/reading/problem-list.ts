import type { Problem } from '../diagnostics/diagnostic.ts';
import type { ProblemSink } from './place.ts';

/** Problems of one document that are kept; more do not help, and each is compared with others. */
export const maximumProblems = 1000;
/** Problems whose hints are worth the search for what was meant. */
const maximumHints = 20;

/** Collects the problems of one document, in the order in which they are found. */
export class ProblemList implements ProblemSink {
  readonly #kept: Problem[] = [];
  #count = 0;

  get isLong(): boolean {
    return this.#count >= maximumHints;
  }

  readonly add = (problem: Problem): void => {
    if (this.#count < maximumProblems) this.#kept.push(problem);
    this.#count += 1;
  };

  /** What was found; an error stands for what is over the maximum, whatever its severity. */
  all(): readonly Problem[] {
    return this.#count <= maximumProblems ? this.#kept : [...this.#kept, tooManyProblems(this.#count)];
  }
}

function tooManyProblems(count: number): Problem {
  return {
    severity: 'error',
    code: 'TooMany',
    message: `the document has ${count} problems, of which ${maximumProblems} are reported`,
    path: [],
  };
}
