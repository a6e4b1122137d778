import ignore, { type Ignore } from 'ignore';

import { baseOf, folderOf, foldersUp } from './tree.ts';

/** The name of the files that say what is not read. */
export const ignoreFileName = '.plimsollignore';

/** The rules of one folder's ignore file, .gitignore syntax. */
export interface IgnoreFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Decides which paths ignore files leave out, as git does for .gitignore files: rules count from the repository's
 * root down, the nearest file's last matching rule wins, and nothing below an ignored folder comes back.
 */
export class IgnoreRules {
  readonly #rules: ReadonlyMap<string, Ignore>;
  readonly #folders = new Map<string, boolean>();

  constructor(files: readonly IgnoreFile[]) {
    this.#rules = new Map(files.map(({ path, text }) => [folderOf(path), ignore().add(text)]));
  }

  isIgnored(path: string): boolean {
    if (this.#rules.size === 0) return false;
    return this.#isFolderIgnored(folderOf(path)) || this.#judge(path, '') === true;
  }

  #isFolderIgnored(folder: string): boolean {
    if (folder === '') return false;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const isIgnored = this.#isFolderIgnored(folderOf(folder)) || this.#judge(folder, '/') === true;
    this.#folders.set(folder, isIgnored);
    return isIgnored;
  }

  /** The verdict of the nearest file that has one. */
  #judge(path: string, suffix: '' | '/'): boolean | undefined {
    for (const folder of foldersUp(folderOf(path))) {
      const relative = folder === '' ? path : path.slice(folder.length + 1);
      const verdict = this.#rules.get(folder)?.test(`${relative}${suffix}`);
      if (verdict?.ignored === true) return true;
      if (verdict?.unignored === true) return false;
    }
    return undefined;
  }
}

/** Whether a file is one of them. */
export function isIgnoreFile(path: string): boolean {
  return baseOf(path) === ignoreFileName;
}
