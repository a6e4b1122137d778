import picomatch from 'picomatch';

/** Whether a path is matched. */
export type PathMatcher = (path: string) => boolean;

/**
 * Matches a file that one of the globs names, or that is below a folder that one names. A glob without a slash matches
 * at any depth, as in a .gitignore file; an empty list matches nothing.
 */
export function pathMatcher(globs: readonly string[]): PathMatcher {
  const patterns = globs.flatMap((glob) => {
    const text = glob.replace(/^\.?\//, '').replace(/\/+$/, '');
    const anchored = text.includes('/') || glob.startsWith('/') ? text : `**/${text}`;
    return [anchored, `${anchored}/**`];
  });
  if (patterns.length === 0) return () => false;
  const matches = picomatch(patterns, { dot: true, nonegate: true });
  return (path) => matches(path);
}

/** Matches a folder by a tenant's glob: the folder itself, from the root. */
export function folderMatcher(glob: string): PathMatcher {
  const text = glob.replace(/^\.?\//, '').replace(/\/+$/, '');
  if (text === '' || text === '**') return () => true;
  const matches = picomatch(text, { dot: true, nonegate: true });
  return (path) => matches(path);
}
