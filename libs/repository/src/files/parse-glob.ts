import { err, ok, type Result } from '#kernel';

/** One character of a path: in one of the ranges, or, negated, in none. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [number, number])[];
  readonly isNegated: boolean;
}

/** A part of a pattern: one character, or any number of them. */
export type GlobToken = CharacterSet | '*';

/** A folder or file name of a pattern: a text where it has no marks; {@link anyFolders} is any number of folders. */
export type GlobSegment = string | readonly GlobToken[];

/** `**` by itself; a name that is written so is never a text. */
export const anyFolders = '**';

/** A pattern as the names of a path, from the root. */
export type GlobPath = readonly GlobSegment[];

/** No glob that a person wrote is longer. */
const lengthMaximum = 1_000;
/** `{a,b}{c,d}…` doubles with each pair. */
const alternativesMaximum = 100;

/**
 * Reads a glob: `*` and `?` in a name, `**` for any number of folders, `[a-z]`, `[!a-z]`, `[[:digit:]]`, `{a,b}`, and
 * `\` before a mark that is meant as itself. An error is half a sentence that names the character, counted from 1.
 */
export function parseGlob(glob: string): Result<readonly GlobPath[], string> {
  if (glob.length > lengthMaximum) return err(`has ${glob.length} characters, more than ${lengthMaximum}`);
  if (glob.startsWith('!')) return err('begins with !: what is not wanted stands in exclude');
  const fault = findMark(glob);
  if (fault !== undefined) return err(fault);
  const texts = expandBraces(glob);
  if (!texts.ok) return texts;
  const paths: GlobPath[] = [];
  for (const text of texts.value) {
    const path = parsePath(text);
    if (!path.ok) return path;
    paths.push(path.value);
  }
  return ok(paths);
}

/** Marks of other dialects, which would match nothing here in silence. */
function findMark(glob: string): string | undefined {
  const marks = /\\[^]|\[(?:\\[^]|[^\]\\])*\]?|([()|\u0000-\u001f])/g;
  for (const { 1: mark, index } of glob.matchAll(marks)) {
    if (mark !== undefined)
      return `has ${JSON.stringify(mark)} at character ${index + 1}: alternatives are {a,b}; write \\ before a mark that is meant`;
  }
  return undefined;
}

/** `a{b,c}` as `ab` and `ac`; braces nest. */
function expandBraces(glob: string): Result<readonly string[], string> {
  const done: string[] = [];
  const open = [glob];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const braces = findBraces(text);
    if (braces === undefined) {
      done.push(text);
    } else if (typeof braces === 'string') {
      return err(braces);
    } else {
      const { start, end, alternatives } = braces;
      for (const each of alternatives) open.push(text.slice(0, start) + each + text.slice(end + 1));
    }
    if (open.length + done.length > alternativesMaximum)
      return err(`has more than ${alternativesMaximum} alternatives`);
  }
  return ok(done);
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly alternatives: readonly string[];
}

/** The first braces of a text; a text where they do not close. */
function findBraces(text: string): Braces | string | undefined {
  const commas: number[] = [];
  let start = -1;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\\[^]|[{},]/g)) {
    if (mark === ',' && depth === 1) commas.push(index);
    if (mark === '{' && ++depth === 1) start = index;
    if (mark === '}' && --depth === 0) return splitBraces(text, { start, end: index, commas });
    if (depth < 0) return `has a } at character ${index + 1} that closes nothing`;
  }
  return start < 0 ? undefined : `has a { at character ${start + 1} that nothing closes`;
}

function splitBraces(
  text: string,
  {
    start,
    end,
    commas,
  }: { readonly start: number; readonly end: number; readonly commas: readonly number[] },
): Braces | string {
  if (commas.length === 0) return `has braces without a comma at character ${start + 1}`;
  const ends = [...commas, end];
  const alternatives = ends.map((each, index) => text.slice((ends[index - 1] ?? start) + 1, each));
  return { start, end, alternatives };
}

function parsePath(text: string): Result<GlobPath, string> {
  const path: GlobSegment[] = [];
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') return err('has a ..: a glob counts from the root of the repository');
    const segment = name === '**' ? ok(anyFolders) : parseName(name);
    if (!segment.ok) return segment;
    path.push(segment.value);
  }
  return ok(path);
}

/** The marks of a name: an escaped character, a set, stars, a question mark; or any character. */
const namePart =
  /\\([^]?)|(\[)([!^]?(?:\[:[^[\]]*:\]|\\[^]|[^\\])(?:\[:[^[\]]*:\]|\\[^]|[^\]\\])*)?(\])?|(\*+)|(\?)|[^]/g;

/** Reads one name of a pattern; an error where a mark is none. */
export function parseName(name: string): Result<string | readonly GlobToken[], string> {
  if (!/[*?[\\]/.test(name)) return ok(name);
  const tokens: GlobToken[] = [];
  for (const match of name.matchAll(namePart)) {
    const token = readToken(match);
    if (token === undefined)
      return err(`has ${JSON.stringify(match[0])} in ${JSON.stringify(name)}, which is no mark`);
    tokens.push(token);
  }
  return ok(tokens);
}

/** A `\` at the end, and a `[` that begins no set, are nothing. */
function readToken(match: RegExpExecArray): GlobToken | undefined {
  const [text, escaped, bracket, set, end, stars, one] = match;
  if (stars !== undefined) return '*';
  if (one !== undefined) return anyCharacter;
  if (bracket !== undefined) return end === undefined ? undefined : parseSet(set ?? '');
  return escaped === '' ? undefined : literal(escaped ?? text);
}

const anyCharacter: CharacterSet = { ranges: [], isNegated: true };

function literal(character: string): CharacterSet {
  const code = character.charCodeAt(0);
  return { ranges: [[code, code]], isNegated: false };
}

function parseSet(text: string): CharacterSet | undefined {
  const isNegated = /^[!^]/.test(text);
  const ranges: (readonly [number, number])[] = [];
  for (const match of text.slice(isNegated ? 1 : 0).matchAll(setPart)) {
    const found = rangesOf(match);
    if (found === undefined) return undefined;
    ranges.push(...found);
  }
  return ranges.length === 0 ? undefined : { ranges, isNegated };
}

/** Undefined: a class that there is not, or a range that ends before it begins. */
function rangesOf(match: RegExpExecArray): CharacterSet['ranges'] | undefined {
  const [, name, from = '', to = from] = match;
  if (name !== undefined) return characterClasses.get(name)?.map(codesOf);
  const range = codesOf(from + to);
  return range[1] < range[0] ? undefined : [range];
}

/** What a set holds: a class of characters, a range, or one character. */
const setPart = /\[:([^[\]]*):\]|\\?([^])(?:-\\?([^]))?/g;

/** The classes of a set, as ranges of ASCII: git knows no others. */
const characterClasses: ReadonlyMap<string, readonly string[]> = new Map([
  ['alnum', ['09', 'AZ', 'az']],
  ['alpha', ['AZ', 'az']],
  ['blank', ['  ', '\t\t']],
  ['cntrl', ['\u0000\u001f', '\u007f\u007f']],
  ['digit', ['09']],
  ['graph', ['!~']],
  ['lower', ['az']],
  ['print', [' ~']],
  ['punct', ['!/', ':@', '[`', '{~']],
  ['space', ['  ', '\t\r']],
  ['upper', ['AZ']],
  ['xdigit', ['09', 'AF', 'af']],
]);

function codesOf(range: string): readonly [number, number] {
  return [range.charCodeAt(0), range.charCodeAt(1)];
}
