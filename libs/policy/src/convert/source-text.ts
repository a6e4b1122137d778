import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';

/** A part of a file's text, by offsets, and what takes its place. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes a text with edits, none of which overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

/** A file's text by lines. */
export class SourceText {
  readonly text: string;
  readonly eol: '\n' | '\r\n';

  constructor(text: string) {
    this.text = text;
    this.eol = text.includes('\r\n') ? '\r\n' : '\n';
  }

  lineStart(offset: number): number {
    return offset === 0 ? 0 : this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Before the line's end. */
  lineEnd(offset: number): number {
    const end = this.text.indexOf('\n', offset);
    if (end < 0) return this.text.length;
    return end > offset && this.text[end - 1] === '\r' ? end - 1 : end;
  }

  /** Where the next line begins. */
  nextLine(offset: number): number {
    const end = this.text.indexOf('\n', offset);
    return end < 0 ? this.text.length : end + 1;
  }

  column(offset: number): number {
    return offset - this.lineStart(offset);
  }

  /** Whether nothing but spaces is before it on its line. */
  isFirstOnLine(offset: number): boolean {
    return this.text.slice(this.lineStart(offset), offset).trim() === '';
  }

  /** Whether a line has no text; the end of the file counts as one. */
  isBlank(lineStart: number): boolean {
    return this.text.slice(lineStart, this.lineEnd(lineStart)).trim() === '';
  }

  /** The beginning of the comment lines directly above an entry and in line with it, none of which is above `limit`. */
  leadStart(offset: number, limit: number): number {
    let start = this.lineStart(offset);
    const column = this.#indent(start);
    while (start > limit) {
      const above = this.lineStart(start - 1);
      if (above < limit || !this.#isComment(above) || this.#indent(above) !== column) break;
      start = above;
    }
    return start;
  }

  /** The end of the last of the comment lines directly below a line, none of which stands left of `column`. */
  trailEnd(offset: number, column: number): number {
    let end = this.lineEnd(offset);
    for (let next = this.nextLine(end); next < this.text.length; next = this.nextLine(end)) {
      const hash = this.text.indexOf('#', next);
      if (!this.#isComment(next) || hash - next < column) break;
      end = this.lineEnd(next);
    }
    return end;
  }

  /**
   * The comment lines above a map's entry or a list's item, with the blank lines between them, as a node holds them; `end`
   * is where the sibling before it ends. None where something else is before it on its line.
   */
  commentAbove(offset: number, end: number | undefined): string | null {
    const line = this.lineStart(offset);
    if (!/^[ -]*$/.test(this.text.slice(line, offset))) return null;
    const from = end === undefined ? this.#looseStart(line) : this.nextLine(end);
    const column = this.#indent(line);
    const lines: string[] = [];
    for (let at = from; at < line; at = this.nextLine(at)) {
      lines.push(commentText(this.text.slice(at, this.lineEnd(at)).trim()));
      // A comment that is not in line with what comes next does not belong to it.
      if (this.#isComment(at) && this.#indent(at) !== column) lines.push('');
    }
    const text = lines.join('\n');
    return text.trim() === '' && !text.includes(' ') ? null : text.replace(/^\n+/, '');
  }

  /** The comment on an offset's line. */
  commentBehind(offset: number): string | null {
    const rest = this.text.slice(offset, this.lineEnd(offset));
    const hash = rest.search(/[ \t]#/);
    return hash < 0 ? null : rest.slice(hash + 2);
  }

  /** The beginning of the comments and blank lines above a line. */
  #looseStart(lineStart: number): number {
    let start = lineStart;
    while (start > 0) {
      const above = this.lineStart(start - 1);
      if (!this.#isComment(above) && !this.isBlank(above)) break;
      start = above;
    }
    return start;
  }

  #indent(lineStart: number): number {
    return /[^ ]|$/.exec(this.text.slice(lineStart, this.lineEnd(lineStart)))?.index ?? 0;
  }

  #isComment(lineStart: number): boolean {
    return this.text.slice(lineStart, this.lineEnd(lineStart)).trimStart().startsWith('#');
  }
}

/** As the parser has it: of a comment without a text, a space. */
function commentText(line: string): string {
  return line === '#' ? ' ' : line.slice(1);
}

/** Where a node's own text ends: before comments and blank lines behind it. */
export function endOf(node: Node, text: string): number {
  const [start = 0, end = 0] = node.range ?? [];
  if (isMap(node) && node.flow !== true) return Math.max(start, endOfLast(node, text));
  if (isSeq(node) && node.flow !== true) {
    const last = node.items.findLast((item) => isNode(item));
    return last === undefined ? end : endOf(last, text);
  }
  return start + text.slice(start, end).trimEnd().length;
}

/** Where an entry's own text ends. */
export function endOfPair({ key, value }: Pick<Pair, 'key' | 'value'>, text: string): number {
  const ends = [key, value].filter((node) => isNode(node)).map((node) => endOf(node, text));
  return Math.max(0, ...ends);
}

function endOfLast(map: YAMLMap, text: string): number {
  const last = map.items.at(-1);
  return last === undefined ? 0 : endOfPair(last, text);
}

/** Where an entry begins; undefined: it does not come from the file. */
export function startOfPair({ key }: Pick<Pair, 'key'>): number | undefined {
  return isScalar(key) ? key.range?.[0] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'range' in value;
}
