import { join, relative, resolve } from 'node:path';
import { findWorkTree } from './find-revision.ts';

/** What the paths of a command line say about a tree. */
export interface SelectedPaths {
  /** Whether a file of the tree is one of the paths, or below one. */
  readonly has: (file: string) => boolean;
  /** The file as it is printed. */
  readonly shown: (file: string) => string;
}

/** Where the paths that are printed start: the folder that the command was started in, or the repository's top. */
export type PathsFrom = 'CurrentFolder' | 'Repository';

/** Selects files of the tree at `root` by paths of the command line. */
export function selectPaths(
  root: string,
  paths: readonly string[],
  from: PathsFrom = 'CurrentFolder',
): SelectedPaths {
  const prefixes = paths.map((path) => pathInTree(root, path));
  // Outside Git there is no repository's top.
  const start = (from === 'Repository' ? findWorkTree(root) : undefined) ?? process.cwd();
  return {
    has: (file) =>
      prefixes.some((prefix) => prefix === '' || file === prefix || file.startsWith(`${prefix}/`)),
    shown: (file) => relative(start, join(root, file)) || file,
  };
}

/** A path of the command line, from the top of the tree at `root`. */
export function pathInTree(root: string, path: string): string {
  return relative(root, resolve(path)).split(/[\\/]/).join('/');
}
