import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FileTree, makeTree } from '../testing/run-cli.fixture.ts';
import { findRevision, shallowHint } from './find-revision.ts';

describe('a revision that is not found', () => {
  let tree: FileTree;
  afterEach(() => {
    delete process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'];
    tree.remove();
  });

  function repository(...commits: readonly string[]): string {
    tree = makeTree({});
    tree.git('init', '--quiet');
    for (const message of commits) tree.git('commit', '--quiet', '--allow-empty', '--message', message);
    return tree.folder;
  }

  it('is found where it exists', () => {
    const root = repository('a');
    expect(findRevision(root, 'HEAD')).toBe(tree.git('rev-parse', 'HEAD'));
    expect(shallowHint(root)).toBe('');
  });

  it('is no revision of a whole repository', () => {
    const root = repository('a');
    expect(() => findRevision(root, 'HEAD~1')).toThrow(
      new RegExp(`^HEAD~1 is no revision of the repository at ${root}$`),
    );
  });

  it('names the safe.directory where another user owns the repository', () => {
    const root = repository('a');
    process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'] = '1';
    expect(() => findRevision(root, 'HEAD')).toThrow(`git config --global --add safe.directory ${root}`);
  });

  it('says that there is no repository', () => {
    tree = makeTree({});
    expect(() => findRevision(tree.folder, 'HEAD')).toThrow(`${tree.folder} is in no Git repository`);
  });

  it('says that there is no commit yet', () => {
    const root = repository();
    expect(() => findRevision(root, 'HEAD')).toThrow(`the repository at ${root} has no commit yet`);
  });

  it('names the depth of a shallow clone', () => {
    const root = repository('a', 'b');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, 'clone'], { cwd: root });
    expect(() => findRevision(join(root, 'clone'), 'HEAD~1')).toThrow(/fetch-depth: 0/);
  });
});
