import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { typedDocument } from './typed-document.ts';

const document = typedDocument<object, { readonly dryRun: boolean }>([
  'mutation Begin($dryRun: Boolean!) { begin(dryRun: $dryRun) { __typename } }',
]);
const answer = { begin: { __typename: 'Begun' } };
let timeouts: number[];

// The page's clock ticks from its first import on.
jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });

beforeEach(() => {
  Object.assign(globalThis, { window: { isSecureContext: false } });
  timeouts = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    timeouts.push(milliseconds);
    return new AbortController().signal;
  });
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json({ data: answer })));
});
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'window');
});

it.each([
  { what: 'what changes something, for longer than the server may take', dryRun: false, want: 150_000 },
  { what: 'what only looks, as for a read', dryRun: true, want: 20_000 },
])('waits for the answer to $what', async ({ dryRun, want }) => {
  const { act } = await import('./act.ts');
  expect(await act(document, { dryRun })).toEqual({ kind: 'Answered', data: answer });
  expect(timeouts).toEqual([want]);
});
