/** Where a cursor stands in block YAML: what is typed there, below which keys. */
export interface YamlPlace {
  /** Names of keys from the root; `[]` is an item of a list. */
  readonly path: readonly string[];
  /** The key whose value is typed; undefined: a key is. */
  readonly key: string | undefined;
  /** What is typed of it already. */
  readonly typed: string;
}

/**
 * The place of the cursor at the end of a text. By indentation, as a person reads it: the text is being typed, so it is
 * rarely whole. Flow maps and lists are followed within one line. Undefined: nothing can be completed there.
 */
export function yamlPlaceAt(text: string): YamlPlace | undefined {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  if (/^\s*#|\s#/.test(last)) return undefined;
  const { column, content } = itemOf(last);
  const parents = parentsOf(lines, column);
  const flow = flowPlaceOf(content);
  if (flow !== undefined) return { ...flow, path: [...parents, ...flow.path] };
  const [, key, value] = /^([\w.-]+):\s+(\S*)$/.exec(content) ?? [];
  if (key !== undefined && value !== undefined) return { path: parents, key, typed: value };
  return /^[\w.-]*$/.test(content) ? { path: parents, key: undefined, typed: content } : undefined;
}

interface Item {
  /** Columns of the dashes before it. */
  readonly dashes: readonly number[];
  readonly column: number;
  readonly content: string;
}

/** A line behind its indentation and dashes. */
function itemOf(line: string): Item {
  const dashes: number[] = [];
  let column = indentOf(line, 0);
  while (line[column] === '-' && (line[column + 1] === ' ' || column + 1 === line.length)) {
    dashes.push(column);
    column = indentOf(line, column + 1);
  }
  return { dashes, column, content: line.slice(column) };
}

function indentOf(line: string, from: number): number {
  let column = from;
  while (line[column] === ' ') column += 1;
  return column;
}

/** The keys and items around what stands at a column of the last line. */
function parentsOf(lines: readonly string[], column: number): readonly string[] {
  const path: string[] = [];
  let [keyBelow, dashBelow] = [column, column];
  for (let index = lines.length - 1; index >= 0 && keyBelow > 0; index -= 1) {
    const line = lines[index] ?? '';
    if (line.startsWith('---')) break;
    const item = itemOf(line);
    const key = index === lines.length - 1 ? undefined : /^["']?([\w./-]+)["']?\s*:/.exec(item.content)?.[1];
    if (key !== undefined && item.column < keyBelow) {
      path.unshift(key);
      [keyBelow, dashBelow] = [item.column, item.column];
    }
    for (const dash of item.dashes.toReversed().filter((each) => each < dashBelow)) {
      path.unshift('[]');
      // A list may stand at the column of its key.
      [keyBelow, dashBelow] = [dash + 1, dash];
    }
  }
  return path;
}

/** The place inside the flow map or list that is open at the end of a line; undefined: none is. */
function flowPlaceOf(content: string): YamlPlace | undefined {
  const reader = new FlowReader();
  for (const [token] of content.matchAll(/[{}[\],:]|[^{}[\],:]+/g)) reader.take(token);
  return reader.place();
}

/** Follows flow maps and lists from left to right. */
class FlowReader {
  /** For each that is open, the names that lead into it. */
  readonly #open: (readonly string[])[] = [];
  #key: string | undefined;
  #word = '';

  take(token: string): void {
    if (token === ':') {
      this.#key ??= this.#word.trim();
      this.#word = '';
    } else if (!/^[{}[\],]$/.test(token)) {
      this.#word = token;
    } else {
      this.#end(token);
    }
  }

  /** A bracket or a comma: what was typed before it is over. */
  #end(token: string): void {
    if (token === '{' || token === '[') this.#enter(token);
    else if (token !== ',') this.#open.pop();
    this.#key = undefined;
    this.#word = '';
  }

  place(): YamlPlace | undefined {
    if (this.#open.length === 0) return undefined;
    return { path: this.#open.flat(), key: this.#key, typed: this.#word.trim() };
  }

  /** By the key before it, or as an item of the list around it, whose name is there already. */
  #enter(bracket: string): void {
    const name = this.#key === undefined ? [] : [this.#key];
    this.#open.push(bracket === '[' ? [...name, '[]'] : name);
  }
}
