import { err, messageOf, ok, type Result } from '#kernel';
import { setOwn } from './set-own.ts';
import { showValue } from './show-value.ts';
import { SpelledNumber } from './spelled-number.ts';

/** The names that a JSON value may have, so that letter case need not count. `any`: whatever is there stays. */
export type NameShape =
  'any' | 'texts' | { readonly list: NameShape } | { readonly map: Readonly<Record<string, NameShape>> };

/** Nothing that is read here nests deeper, and the reader calls itself. */
const maximumDepth = 64;

/**
 * Reads JSON text as Go reads it into a struct: letter case of names does not count, unknown names are ignored, numbers
 * are as spelled. Unlike Go, a name twice (in whatever letter case) is an error.
 */
export function readJsonText(text: string, shape: NameShape): Result<unknown, string> {
  try {
    JSON.parse(text);
  } catch (error) {
    return err(messageOf(error));
  }
  try {
    return ok(new JsonReader(text).read(shape, 0));
  } catch (error) {
    if (error instanceof JsonTextError) return err(error.message);
    throw error;
  }
}

class JsonTextError extends Error {}

const tokenPattern = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;

/** Walks the tokens of a text that is known to be JSON. */
class JsonReader {
  readonly #tokens: RegExp;
  readonly #text: string;
  #next: string;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = new RegExp(tokenPattern);
    this.#next = this.#take();
  }

  read(shape: NameShape, depth: number): unknown {
    if (depth > maximumDepth) throw new JsonTextError(`nested more than ${maximumDepth} deep`);
    if (this.#next === '{') return this.#readMap(shape, depth);
    if (this.#next === '[') return this.#readList(shape, depth);
    return scalar(this.#advance());
  }

  #readList(shape: NameShape, depth: number): unknown[] {
    const inner = typeof shape === 'object' && 'list' in shape ? shape.list : 'any';
    const items: unknown[] = [];
    this.#advance();
    while (this.#next !== ']') {
      items.push(this.read(inner, depth + 1));
      if (this.#next === ',') this.#advance();
    }
    this.#advance();
    return items;
  }

  #readMap(shape: NameShape, depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const seen = new Set<string>();
    this.#advance();
    while (this.#next !== '}') {
      const key = this.#readKey(seen, shape === 'texts');
      const [name, inner] = meaningOf(key, shape);
      const value = this.read(inner, depth + 1);
      if (name !== undefined) setOwn(map, name, value);
      if (this.#next === ',') this.#advance();
    }
    this.#advance();
    return map;
  }

  #readKey(seen: Set<string>, isExact: boolean): string {
    const key = String(scalar(this.#advance()));
    const same = isExact ? key : foldCase(key);
    if (seen.has(same)) throw new JsonTextError(`has ${showValue(key)} twice`);
    seen.add(same);
    this.#advance();
    return key;
  }

  #advance(): string {
    const token = this.#next;
    this.#next = this.#take();
    return token;
  }

  #take(): string {
    return this.#tokens.exec(this.#text)?.[1] ?? '';
  }
}

/** What a key is called here, and how what it holds is read; a name that a struct does not have has no meaning. */
function meaningOf(key: string, shape: NameShape): readonly [string | undefined, NameShape] {
  if (typeof shape !== 'object' || !('map' in shape)) return [key, 'any'];
  const folded = foldCase(key);
  const name = Object.keys(shape.map).find((each) => foldCase(each) === folded);
  return [name, name === undefined ? 'any' : (shape.map[name] ?? 'any')];
}

/**
 * As Go folds a name: `ſ` and the Kelvin sign are their letters. Upper case is no detour: it would make `i` of `ı` and
 * `st` of `ﬆ`.
 */
function foldCase(text: string): string {
  return text.replaceAll('ſ', 's').toLowerCase();
}

function scalar(token: string): unknown {
  const value: unknown = JSON.parse(token);
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  if (!/^-?\d+$/.test(token)) return new SpelledNumber(token);
  return Number.isSafeInteger(value) ? value : BigInt(token);
}
