import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { AdapterError } from './adapter-error.ts';
import { codeOf } from './code-of.ts';

describe('codeOf', () => {
  it.each([
    {
      name: 'an error of Node',
      caught: Object.assign(new Error('gone'), { code: 'ENOENT' }),
      want: 'ENOENT',
    },
    {
      name: 'an error of an adapter',
      caught: new AdapterError({ code: 'Fenced', message: 'taken over', retryable: true }),
      want: 'Fenced',
    },
    {
      name: 'an error of another realm',
      caught: runInNewContext("Object.assign(new Error('gone'), { code: 'ENOENT' })") as unknown,
      want: 'ENOENT',
    },
    { name: 'an error without one', caught: new Error('gone'), want: undefined },
    { name: 'a process that ended', caught: Object.assign(new Error('ended'), { code: 1 }), want: undefined },
    { name: 'no error', caught: 'gone', want: undefined },
    { name: 'nothing', caught: null, want: undefined },
  ])('reads the code of $name', ({ caught, want }) => {
    expect(codeOf(caught)).toBe(want);
  });
});
