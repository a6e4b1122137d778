import { describe, expect, it } from '@jest/globals';
import type { CombinedError } from 'urql';
import { problemOf } from './problem.ts';

interface GivenError {
  readonly response?: { readonly status: number; readonly ok: boolean };
  readonly graphQLErrors?: readonly { readonly message: string; readonly extensions: object }[];
}

function anError({ response, graphQLErrors = [] }: GivenError): CombinedError {
  return { response, graphQLErrors } as unknown as CombinedError;
}

const answered = (status: number) => ({ status, ok: status === 200 });
const refused = (extensions: object) => ({ graphQLErrors: [{ message: 'too deep', extensions }] });

describe('why there is no answer', () => {
  it.each([
    { name: 'nothing answers', given: {}, want: ['Unreachable', /does not answer/] },
    {
      name: 'the answer is cut off',
      given: { response: answered(200) },
      want: ['Unreachable', /to its end/],
    },
    { name: 'a proxy answers', given: { response: answered(502) }, want: ['Unreachable', /answered 502/] },
    { name: 'it is not ready', given: { response: answered(503) }, want: ['Unreachable', /not ready/] },
    { name: 'there were too many', given: { response: answered(429) }, want: ['Refused', /too many/] },
    { name: 'the session has ended', given: { response: answered(401) }, want: ['SignedOut', /ended/] },
    { name: 'the API refuses', given: refused({ code: 'BadQuery' }), want: ['Refused', /^too deep$/] },
    { name: 'the API fails', given: refused({ code: 'InternalError' }), want: ['Broken', /^too deep$/] },
    ...['Unavailable', 'DatabaseUnavailable', 'DeadlineExceeded'].map((code) => ({
      name: `the API answers ${code}`,
      given: refused({ code }),
      want: ['Unreachable', /^too deep$/],
    })),
    { name: 'an error has no code', given: refused({}), want: ['Broken', /^too deep$/] },
  ])('is told where $name', ({ given, want: [kind, message] }) => {
    expect(problemOf(anError(given))).toMatchObject({ kind, message: expect.stringMatching(message ?? '') });
  });
});
