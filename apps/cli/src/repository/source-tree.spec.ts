import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type FileTree, makeTree } from '../testing/run-cli.fixture.ts';
import { UnusableError } from '../unusable-error.ts';
import { findRoot, readWorkTree } from './source-tree.ts';

const nobody = 65_534;
let tree: FileTree;
let closed: string;

beforeEach(() => {
  tree = makeTree({ 'open/a.yaml': '', 'closed/b.yaml': '' });
  closed = join(tree.folder, 'closed');
  chmodSync(tree.folder, 0o755);
});
afterEach(() => {
  chmodSync(closed, 0o700);
  tree.remove();
});

/** Root reads everything, so it is somebody else meanwhile. */
function unprivileged<T>(work: () => T): T {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(nobody);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

/** What a command that reads a path of the tree is refused with. */
function refusal(path: string): unknown {
  try {
    unprivileged(() => readWorkTree(findRoot(join(tree.folder, path), undefined), 1_000));
  } catch (error) {
    return error;
  }
  return undefined;
}

it.each([
  { name: 'a folder within', path: '' },
  { name: 'the folder itself', path: 'closed' },
  { name: 'a file in it', path: 'closed/b.yaml' },
])('refuses $name that cannot be read, naming it and the cause', ({ path }) => {
  chmodSync(closed, 0);
  expect(refusal(path)).toBeInstanceOf(UnusableError);
  expect(refusal(path)).toMatchObject({
    message: expect.stringMatching(/\/closed(?:\/b\.yaml)? cannot be read: permission denied$/),
  });
});

it('takes no tracked file for deleted because its folder cannot be looked into', () => {
  tree.git('init');
  tree.git('add', '.');
  if (process.getuid?.() === 0)
    for (const path of ['', '.git']) chownSync(join(tree.folder, path), nobody, nobody);
  chmodSync(closed, 0);
  const { env } = process;
  // Git refuses to work where it may not look for a configuration of its user.
  process.env = { ...env, GIT_CONFIG_GLOBAL: '/dev/null' };
  try {
    expect(refusal('')).toMatchObject({
      message: expect.stringContaining('/closed/b.yaml cannot be read: permission denied'),
    });
  } finally {
    process.env = env;
  }
});

it('refuses what is neither a file nor a folder', () => {
  expect(() => findRoot('/dev/null', undefined)).toThrow(
    '/dev/null is neither a file nor a folder: it may be a pipe or a device',
  );
});

it('says of a path below a file that it does not exist', () => {
  expect(refusal('open/a.yaml/c')).toMatchObject({
    message: expect.stringContaining('a.yaml/c does not exist'),
  });
});
