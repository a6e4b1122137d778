import { expect, it } from '@jest/globals';
import type { FileStatus, UntakenReason } from '../documents/repository-reading.ts';
import { explainNothing } from './explain-nothing.ts';

const files = (count: number, status: FileStatus['status']): readonly FileStatus[] =>
  Array.from({ length: count }, (_, index) => ({ path: `${status}${index}`, blob: '', tenant: '', status }));
const untaken = (count: number, reason: UntakenReason) =>
  Array.from({ length: count }, () => ({
    ...{ reason, tenant: '', file: 'a', kind: '', name: '', namespace: '' },
    position: { line: 1, column: 1 },
  }));

it.each([
  {
    name: 'a path that does not exist',
    given: { path: './clusters/prd/', files: files(3, 'AbovePath') },
    want: { message: 'path clusters/prd is not in this commit, or has no YAML file', items: [] },
  },
  {
    name: 'an empty repository',
    given: { files: [] },
    want: { message: 'the commit has no YAML file', items: [] },
  },
  {
    name: 'files that are all left out',
    given: { files: [...files(2, 'Excluded'), ...files(1, 'Ignored'), ...files(4, 'AbovePath')], path: 'a' },
    want: { message: 'none of 3 YAML files is read: all are left out', items: ['Excluded 2', 'Ignored 1'] },
  },
  {
    name: 'files of others',
    given: { files: [...files(9_000, 'Other'), ...files(27, 'Read')] },
    want: { message: '9,027 YAML files read, none has a policy kind', items: [] },
  },
  {
    name: 'documents that are not taken',
    given: { files: files(1, 'Read'), untaken: [...untaken(2, 'NotListed'), ...untaken(1, 'Patch')] },
    want: {
      message: '1 YAML file read, and 3 documents of a policy kind not taken',
      items: ['NotListed 2', 'Patch 1'],
    },
  },
])('explains $name', ({ given, want }) => {
  expect(explainNothing({ files: given.files, untaken: given.untaken ?? [] }, given.path ?? '')).toEqual(
    want,
  );
});
