import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import { runGit, tryGit } from './run-git.ts';

/**
 * The commit that a name stands for in the repository at `root`.
 *
 * @throws UnusableError that says why there is none: no repository, one that Git refuses, no commit, a shallow clone
 */
export function findRevision(root: string, name: string): string {
  const revision = `${name}^{commit}`;
  const output = tryGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', revision]);
  if (output !== undefined) return output.toString('utf8').trim();
  throw new UnusableError(whyNoRevision(root, name));
}

/** What to do about history that a shallow clone lacks; empty where the clone is whole. */
export function shallowHint(root: string): string {
  const answer = tryGit(root, ['rev-parse', '--is-shallow-repository'])?.toString('utf8').trim();
  if (answer !== 'true') return '';
  return ' (the clone is shallow: run git fetch --unshallow, or set fetch-depth: 0 where CI checks out)';
}

/** The top of the Git work tree that a folder lies in; `undefined` outside of any. */
export function findWorkTree(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Whether a folder is a Git repository without a work tree. */
export function isBareRepository(folder: string): boolean {
  const has = (name: string): boolean => existsSync(join(folder, name));
  return !has('.git') && ['HEAD', 'objects', 'refs'].every(has);
}

function whyNoRevision(root: string, name: string): string {
  const refusal = whyRefused(root);
  if (refusal !== undefined) return refusal;
  if (tryGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']) === undefined && name === 'HEAD')
    return `the repository at ${root} has no commit yet`;
  return `${name} is no revision of the repository at ${root}${shallowHint(root)}`;
}

/** Why Git works on nothing at all in a folder; `undefined` where it does. */
function whyRefused(root: string): string | undefined {
  try {
    runGit(root, ['rev-parse', '--git-dir']);
    return undefined;
  } catch (error) {
    const text = messageOf(error);
    if (text.includes('dubious ownership'))
      return `Git refuses the repository at ${root}, which another user owns: run git config --global --add safe.directory ${root}`;
    if (text.includes('not a git repository')) return `${root} is in no Git repository`;
    return `Git cannot read the repository at ${root}: ${text}`;
  }
}
