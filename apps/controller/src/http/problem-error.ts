import { IntrinsicException } from '@nestjs/common';
import type { Problem } from './problem.ts';

/** A refusal that only HTTP has, its status included. Intrinsic: Nest does not log it. */
export class ProblemError extends IntrinsicException {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}
