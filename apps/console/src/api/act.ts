import type { AnyVariables } from 'urql';
import { actionContext, client } from './client.ts';
import { emptyAnswer, type Problem, problemOf } from './problem.ts';
import type { TypedDocument } from './typed-document.ts';

/** What came of a mutation that was sent. Unknown: it may or may not have been carried out; look before sending it again. */
export type ActResult<R> =
  | { readonly kind: 'Answered'; readonly data: R }
  | { readonly kind: 'NotSent'; readonly problem: Problem }
  | { readonly kind: 'Unknown'; readonly problem: Problem };

/** Sends a mutation once. It is waited for as long as the server may take; one that only looks (`dryRun`), as long as a read. */
export async function act<R, V extends AnyVariables>(
  document: TypedDocument<R, V>,
  variables: V,
): Promise<ActResult<R>> {
  const context = variables?.['dryRun'] === true ? {} : actionContext;
  const { data, error } = await client.mutation<R, V>(document.text, variables, context);
  if (error === undefined && data !== undefined) return { kind: 'Answered', data };
  const problem: Problem = error === undefined ? emptyAnswer : problemOf(error);
  return {
    kind: problem.kind === 'Unreachable' || problem.kind === 'Broken' ? 'Unknown' : 'NotSent',
    problem,
  };
}
