import type { ReactElement } from 'react';
import type { Problem } from '../api/problem.ts';

/** Why something is not shown or was not done. */
export function ProblemNote({ problem }: { readonly problem: Problem }): ReactElement {
  return (
    <p className="problem" role="alert" data-kind={problem.kind}>
      {problem.message}
      {problem.code === undefined ? null : <code>{problem.code}</code>}
    </p>
  );
}
