import { anyFolders, type GlobPath, parseGlob } from './glob-pattern.ts';
import { matchesPath, meetsPath } from './match-glob.ts';

/** Whether a path is matched. */
export type PathMatcher = (path: string) => boolean;

/**
 * Matches a file that one of the globs names, or that is below a folder that one names. A glob without a slash matches
 * at any depth, as in a .gitignore file; an empty list matches nothing, and so does what {@link globProblem} refuses.
 */
export function pathMatcher(globs: readonly string[]): PathMatcher {
  const patterns = globs.flatMap((glob): readonly GlobPath[] => {
    const isAnchored = glob.replace(/\/+$/, '').includes('/');
    return pathsOf(glob).map((path) => [...(isAnchored ? [] : [anyFolders]), ...path, anyFolders]);
  });
  return patterns.length === 0 ? () => false : (path) => matchesAny(patterns, path);
}

/** Matches a folder by a tenant's glob: the folder itself, from the root. `**` matches the root too. */
export function folderMatcher(glob: string): PathMatcher {
  const paths = pathsOf(glob);
  const patterns: readonly GlobPath[] = paths.some((path) => path.length === 0) ? [[anyFolders]] : paths;
  return (path) => matchesAny(patterns, path);
}

/** What is wrong with a glob, as half a sentence; undefined: nothing. */
export function globProblem(glob: string): string | undefined {
  const paths = parseGlob(glob);
  return paths.ok ? undefined : paths.error;
}

/** Whether there could be a folder that one glob of folders names, and the other names or names one around it. */
export function foldersOverlap(one: string, other: string): boolean {
  const others = pathsOf(other);
  return pathsOf(one).some((a) =>
    others.some((b) => meetsPath([...a, anyFolders], b) || meetsPath(a, [...b, anyFolders])),
  );
}

function pathsOf(glob: string): readonly GlobPath[] {
  const paths = parseGlob(glob);
  return paths.ok ? paths.value : [];
}

function matchesAny(patterns: readonly GlobPath[], path: string): boolean {
  const names = path === '' ? [] : path.split('/');
  return patterns.some((pattern) => matchesPath(pattern, names));
}
