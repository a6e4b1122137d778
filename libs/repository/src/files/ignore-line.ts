import { anyFolders, type GlobPath, type GlobSegment, parseName } from './glob-pattern.ts';

/** One rule of an ignore file. */
export interface IgnoreLine {
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
export function parseIgnoreLine(line: string): IgnoreLine | undefined {
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

/** A set of characters, which may hold a slash. */
const set = /\\[^]|\[[!^]?\]?(?:\\[^]|[^\]\\])*\]/g;

function parsePattern(text: string): GlobPath | undefined {
  // No set matches a slash, and one that stands in it ends no name.
  const names = text.replace(set, (part) => (part.startsWith('[') ? part.replaceAll('/', '\u0001') : part));
  const segments = names.replace(/^\//, '').split('/').map(segmentOf);
  const whole = segments.filter((segment) => segment !== undefined);
  if (whole.length < segments.length) return undefined;
  // A name by itself matches at any depth.
  return text.includes('/') ? insideOf(whole) : [anyFolders, ...whole];
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
