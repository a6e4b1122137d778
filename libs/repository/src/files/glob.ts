import { withoutTrailing } from '#kernel';
import {
  anyFolders,
  type CharacterSet,
  type GlobPath,
  type GlobSegment,
  type GlobToken,
  parseGlob,
} from './parse-glob.ts';

/** Whether a path is matched. */
export type PathMatcher = (path: string) => boolean;

/**
 * Matches a file that one of the globs names, or that is below a folder that one names. A glob without a slash matches
 * at any depth, as in a .gitignore file; an empty list matches nothing, and so does what {@link globProblem} refuses.
 */
export function pathMatcher(globs: readonly string[]): PathMatcher {
  const patterns = globs.flatMap((glob): readonly GlobPath[] => {
    const isAnchored = withoutTrailing(glob, '/').includes('/');
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

/** Whether a path, as its names, is one that a pattern names. Takes time of the lengths' product at most. */
export function matchesPath(pattern: GlobPath, path: readonly string[]): boolean {
  return matchesList(pattern, path, { isAny: (segment) => segment === anyFolders, fits: fitsName });
}

/** Whether two patterns name the same path, were there one. */
export function meetsPath(a: GlobPath, b: GlobPath): boolean {
  return meetsList(a, b, { isAny: (segment) => segment === anyFolders, meets: meetsName });
}

function fitsName(segment: GlobSegment, name: string): boolean {
  if (typeof segment === 'string') return segment === name;
  return matchesList(segment, name, { isAny: (token) => token === '*', fits: fitsCharacter });
}

function fitsCharacter(token: GlobToken, character: string): boolean {
  return token !== '*' && contains(token, character.charCodeAt(0));
}

function contains({ ranges, isNegated }: CharacterSet, code: number): boolean {
  return ranges.some(([low, high]) => code >= low && code <= high) !== isNegated;
}

interface Matching<P> {
  /** Whether an item stands for any number of items. */
  readonly isAny: (item: P) => boolean;
  readonly fits: (item: P, text: string) => boolean;
}

/** Goes back to the last `*` only: what an earlier one could take more of, the last can too. */
function matchesList<P>(
  pattern: readonly P[],
  text: ArrayLike<string>,
  { isAny, fits }: Matching<P>,
): boolean {
  let at = 0;
  let item = 0;
  let retryItem = -1;
  let retryAt = 0;
  while (at < text.length) {
    const wanted = pattern[item];
    if (wanted !== undefined && isAny(wanted)) {
      retryItem = ++item;
      retryAt = at;
    } else if (wanted !== undefined && fits(wanted, text[at] ?? '')) {
      item++;
      at++;
    } else if (retryItem >= 0) {
      item = retryItem;
      at = ++retryAt;
    } else {
      return false;
    }
  }
  return pattern.slice(item).every(isAny);
}

function meetsName(a: GlobSegment, b: GlobSegment): boolean {
  if (typeof a === 'string') return fitsName(b, a);
  return typeof b === 'string' ? fitsName(a, b) : meetsList(a, b, nameMeeting);
}

interface Meeting<P> {
  readonly isAny: (item: P) => boolean;
  readonly meets: (a: P, b: P) => boolean;
}

const nameMeeting: Meeting<GlobToken> = {
  isAny: (token) => token === '*',
  meets: (a, b) => a === '*' || b === '*' || meetsCharacter(a, b),
};

/** Two sets share a character: if so, the ends of their ranges, or what lies beside them, show one. */
function meetsCharacter(a: CharacterSet, b: CharacterSet): boolean {
  const ends = [...a.ranges, ...b.ranges].flatMap(([low, high]) => [low, high, low - 1, high + 1]);
  return [...ends, letterA].some(
    (code) => code > 0 && code !== slash && contains(a, code) && contains(b, code),
  );
}

const letterA = 0x61;
const slash = 0x2f;

/** Whether two lists with items for any number stand for a common one: row by row, what is left of each. */
function meetsList<P>(a: readonly P[], b: readonly P[], meeting: Meeting<P>): boolean {
  let below: readonly boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--)
      row[j] = meetsRest([a[i], b[j]], [below[j], row[j + 1], below[j + 1]], meeting);
    below = row;
  }
  return below[0] === true;
}

/** Of the first item of each list, from what is known without the one, without the other, and without both. */
function meetsRest<P>(
  [x, y]: readonly [P | undefined, P | undefined],
  [withoutX, withoutY, withoutBoth]: readonly (boolean | undefined)[],
  { isAny, meets }: Meeting<P>,
): boolean {
  const isEither = [x, y].some((item) => item !== undefined && isAny(item));
  if (isEither) return withoutX === true || withoutY === true;
  return x === undefined || y === undefined ? x === y : meets(x, y) && withoutBoth === true;
}
