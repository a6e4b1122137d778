import { type IgnoreLine, parseIgnoreLine } from './ignore-line.ts';
import { matchesPath } from './match-glob.ts';
import { baseOf, folderOf, foldersUp } from './tree.ts';

/** The name of the files that say what is not read. */
export const ignoreFileName = '.plimsollignore';

/**
 * What one ignore file may say: each file of the tree is held against each rule. Ten times what people write; without
 * it whoever may push could keep the sync busy for hours.
 */
export const maximumIgnoreRules = 1_000;

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
  /** By folder; the last line of a file comes first. */
  readonly #rules: ReadonlyMap<string, readonly IgnoreLine[]>;
  readonly #folders = new Map<string, boolean>();

  constructor(files: readonly IgnoreFile[]) {
    this.#rules = new Map(files.map(({ path, text }) => [folderOf(path), linesOf(text)]));
  }

  isIgnored(path: string): boolean {
    if (this.#rules.size === 0) return false;
    return this.#isFolderIgnored(folderOf(path)) || this.#judge(path, 'File') === 'Ignore';
  }

  #isFolderIgnored(folder: string): boolean {
    if (folder === '') return false;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const isIgnored = this.#isFolderIgnored(folderOf(folder)) || this.#judge(folder, 'Folder') === 'Ignore';
    this.#folders.set(folder, isIgnored);
    return isIgnored;
  }

  /** What the nearest file that has a rule for the path itself says. */
  #judge(path: string, type: 'File' | 'Folder'): IgnoreLine['effect'] | undefined {
    const names = path.split('/');
    for (const folder of foldersUp(folderOf(path))) {
      const lines = this.#rules.get(folder);
      if (lines === undefined) continue;
      const inside = folder === '' ? names : names.slice(folder.split('/').length);
      const line = lines.find(
        ({ pattern, reach }) =>
          (reach === 'FilesAndFolders' || type === 'Folder') && matchesPath(pattern, inside),
      );
      if (line !== undefined) return line.effect;
    }
    return undefined;
  }
}

function linesOf(text: string): readonly IgnoreLine[] {
  return ruleTexts(text)
    .slice(0, maximumIgnoreRules)
    .flatMap((line) => parseIgnoreLine(line) ?? [])
    .reverse();
}

function ruleTexts(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** Whether an ignore file says more than {@link maximumIgnoreRules}. */
export function hasTooManyRules(text: string): boolean {
  return ruleTexts(text).length > maximumIgnoreRules;
}

/** Whether a file is one of them. */
export function isIgnoreFile(path: string): boolean {
  return baseOf(path) === ignoreFileName;
}
