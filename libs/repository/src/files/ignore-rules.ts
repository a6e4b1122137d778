import { matchesPath } from './glob.ts';
import { anyFolders, type GlobPath, type GlobSegment, parseName } from './parse-glob.ts';
import { baseOf, folderOf, foldersUp } from './tree-file.ts';

/** The name of the files that say what is not read. */
export const ignoreFileName = '.plimsollignore';

/**
 * What one ignore file may say: each file of the tree is held against each rule. Ten times what people write; without
 * it, a person who may push could keep the sync busy for hours.
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

/** One rule of an ignore file. */
interface IgnoreLine {
  readonly pattern: GlobPath;
  readonly effect: 'Ignore' | 'Keep';
  readonly reach: 'Folders' | 'FilesAndFolders';
}

/** No path is longer. */
const lengthMaximum = 4_096;

/**
 * Reads a line as .gitignore defines it; undefined where it is empty, a comment, or matches nothing: git is silent
 * about those too.
 *
 * @see https://git-scm.com/docs/gitignore
 */
function parseIgnoreLine(line: string): IgnoreLine | undefined {
  if (line === '' || line.startsWith('#') || line.length > lengthMaximum) return undefined;
  const text = withoutTrailingSpaces(line.replace(/\r$/, ''));
  const isKept = text.startsWith('!');
  const whole = isKept ? text.slice(1) : text;
  const pattern = parsePattern(whole.replace(/\/$/, ''));
  if (pattern === undefined) return undefined;
  return {
    pattern,
    effect: isKept ? 'Keep' : 'Ignore',
    reach: whole.endsWith('/') ? 'Folders' : 'FilesAndFolders',
  };
}

/** An escaped one stays. */
function withoutTrailingSpaces(text: string): string {
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ' ') continue;
    if (text[at] === '\\') at++;
    end = at + 1;
  }
  return text.slice(0, end);
}

function parsePattern(text: string): GlobPath | undefined {
  // No set matches a slash, and one that stands in it ends no name.
  const segments = withoutSlashesInSets(text).replace(/^\//, '').split('/').map(segmentOf);
  const whole = segments.filter((segment) => segment !== undefined);
  if (whole.length < segments.length) return undefined;
  // A name by itself matches at any depth.
  return text.includes('/') ? insideOf(whole) : [anyFolders, ...whole];
}

/** A set of characters may hold a slash. */
function withoutSlashesInSets(text: string): string {
  let result = '';
  let at = 0;
  while (at < text.length) {
    const end = text[at] === '[' ? endOfSet(text, at) : -1;
    const next = end >= 0 ? end + 1 : at + (text[at] === '\\' ? 2 : 1);
    const part = text.slice(at, next);
    result += end >= 0 ? part.replaceAll('/', '\u0001') : part;
    // Where one set is not closed, none behind it is.
    if (text[at] === '[' && end < 0) return result + text.slice(next);
    at = next;
  }
  return result;
}

const setItem = /\[:[^[\]]*:\]|\\?[^]/y;

/** Where a set ends; below 0: it does not. A `]` at its beginning belongs to it, unless no other closes it. */
function endOfSet(text: string, from: number): number {
  const first = from + (text[from + 1] === '!' || text[from + 1] === '^' ? 2 : 1);
  let at = text[first] === ']' ? first + 1 : first;
  while (at < text.length && text[at] !== ']') {
    // Also a class of characters ends in one: `[[:digit:]]`.
    setItem.lastIndex = at;
    at += setItem.exec(text)?.[0].length ?? 1;
  }
  if (at < text.length) return at;
  return text[first] === ']' ? first : -1;
}

/** `a/**` is what is in a, not a itself. */
function insideOf(segments: readonly GlobSegment[]): GlobPath {
  return segments.at(-1) === anyFolders ? [...segments, ['*']] : segments;
}

/** A name that no file has matches nothing; so does a mark that is none. */
function segmentOf(name: string): GlobSegment | undefined {
  if (/^\*{2,}$/.test(name)) return anyFolders;
  if (name === '' || name === '.' || name === '..') return undefined;
  const segment = parseName(name);
  return segment.ok ? segment.value : undefined;
}
