import { join, relative, resolve } from 'node:path';

/** What the paths of a command line say about a tree. */
export interface SelectedPaths {
  /** Whether a file of the tree is one of the paths, or below one. */
  readonly has: (file: string) => boolean;
  /** The file as it is found from the folder that the command was started in. */
  readonly shown: (file: string) => string;
}

/** Selects files of the tree at `root` by paths of the command line. */
export function selectPaths(root: string, paths: readonly string[]): SelectedPaths {
  const prefixes = paths.map((path) => relative(root, resolve(path)).split(/[\\/]/).join('/'));
  return {
    has: (file) =>
      prefixes.some((prefix) => prefix === '' || file === prefix || file.startsWith(`${prefix}/`)),
    shown: (file) => relative(process.cwd(), join(root, file)) || file,
  };
}
