import { findRevision, shallowHint } from '../repository/find-revision.ts';
import { tryGit } from '../repository/run-git.ts';
import { UnusableError } from '../unusable-error.ts';

/** Two states of a repository. */
export interface RevisionRange {
  readonly base: string;
  /** Absent: the work tree. */
  readonly head?: string;
}

/**
 * Reads a range as `git diff` does: `A..B`, `A...B` (from where B left A), `A` (to the work tree); a side that is left
 * out is HEAD.
 *
 * @throws UnusableError where there is no such revision.
 */
export function readRange(root: string, range: string): RevisionRange {
  const [base = '', head] = range.split(/\.{2,3}/);
  if (range.split('..').length > 2) throw new UnusableError(`${range} must be BASE..HEAD, or BASE alone`);
  const from = commitOf(root, base);
  if (head === undefined) return { base: from };
  const to = commitOf(root, head);
  if (!range.includes('...')) return { base: from, head: to };
  const fork = tryGit(root, ['merge-base', from, to]);
  if (fork === undefined)
    throw new UnusableError(`${range}: the two have no commit in common${shallowHint(root)}`);
  return { base: fork.toString('utf8').trim(), head: to };
}

/** The commit that a name stands for; an empty name is HEAD. */
function commitOf(root: string, name: string): string {
  return findRevision(root, name === '' ? 'HEAD' : name);
}
