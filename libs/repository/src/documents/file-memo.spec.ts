import { expect, it } from '@jest/globals';
import type { TreeFile } from '../files/tree-file.ts';
import { FileMemo } from './file-memo.ts';

const file = (path: string, id: string): TreeFile => ({ path, id, type: 'File' });

it('makes a value once a blob, and forgets what a reading did not ask for', () => {
  const memo = new FileMemo<string>();
  const made: string[] = [];
  const ask = (path: string, id: string): string =>
    memo.of(file(path, id), () => {
      made.push(`${path}@${id}`);
      return id;
    });
  const read = (...asked: readonly (readonly [string, string])[]): void => {
    memo.begin();
    for (const [path, id] of asked) expect(ask(path, id)).toBe(id);
  };
  read(['a', '1'], ['b', '1'], ['a', '1']);
  read(['a', '1'], ['b', '2']);
  read(['a', '1']);
  read(['b', '2']);
  expect(made).toEqual(['a@1', 'b@1', 'b@2', 'b@2']);
});
