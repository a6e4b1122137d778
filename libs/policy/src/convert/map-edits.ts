import {
  Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type ToStringOptions,
  visit,
  YAMLMap,
} from 'yaml';
import { resolvePlain } from '../yaml/plain-scalar.ts';
import { attachComments } from './attach-comments.ts';
import { findGaps, type Gap } from './find-gaps.ts';
import { endOfPair, type SourceText, startOfPair, type TextEdit } from './source-text.ts';
import { keyOf, parsing, spellNulls } from './yaml-nodes.ts';

/** An entry as it was, and where its own text is. */
interface KnownPair {
  readonly key: string;
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

/** Whole lines: from the beginning of the first to the end of the last, before its line break. */
interface LineRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A map of a file before and after it is changed in place, and the edits that make the file's text say the change. What
 * did not change keeps its text; an entry that is new, moved or gone is a line of its own in a block, and a part of the
 * line in a flow collection.
 */
export class MapEdits {
  readonly #source: SourceText;
  readonly #root: YAMLMap;
  readonly #layout: ToStringOptions;
  readonly #entries = new Map<YAMLMap, readonly Pair[]>();
  readonly #pairs = new Map<Pair, KnownPair>();
  readonly #edits: TextEdit[] = [];

  /** Remembers the map as it is; comments are tied to what they stand above. */
  constructor(source: SourceText, root: YAMLMap, layout: ToStringOptions) {
    this.#source = source;
    this.#root = root;
    this.#layout = layout;
    attachComments(root, source);
    visit(root, {
      Map: (_key, map) => {
        this.#entries.set(map, [...map.items]);
      },
      Pair: (_key, pair) => {
        const start = startOfPair(pair);
        const end = endOfPair(pair, source.text);
        if (start !== undefined) this.#pairs.set(pair, { key: keyOf(pair), value: pair.value, start, end });
      },
    });
  }

  /** What has changed since then. */
  edits(): readonly TextEdit[] {
    this.#edits.length = 0;
    this.#compare(this.#root);
    return this.#edits;
  }

  #compare(node: unknown): void {
    if (isSeq(node)) for (const item of node.items) this.#compare(item);
    if (!isMap(node)) return;
    const before = this.#entries.get(node);
    if (before === undefined) return;
    const gaps = findGaps(before, node.items, (pair) => this.#isEditable(pair));
    const count = this.#edits.length;
    if (gaps === undefined || !gaps.every((gap) => this.#edit(gap, node, before))) {
      this.#edits.length = count;
      this.#replace(node, before);
      return;
    }
    for (const { next } of gaps) if (next !== undefined) this.#comparePair(next, node);
  }

  /** False: it takes the whole map to be written anew. */
  #edit(gap: Gap, { flow }: YAMLMap, before: readonly Pair[]): boolean {
    if (gap.removed.length + gap.added.length === 0) return true;
    return flow === true ? this.#editFlow(gap, before) : this.#editBlock(gap, before);
  }

  /** Whether an entry can stay where it is: its key and its value are the same nodes, or plain texts. */
  #isEditable(pair: Pair): boolean {
    const known = this.#pairs.get(pair);
    if (known === undefined) return false;
    if (known.value === pair.value) return true;
    const { value } = known;
    const isPlain = isScalar(value) && value.tag === undefined && value.anchor === undefined;
    return isPlain && isScalar(pair.value) && value.range !== undefined && value.range !== null;
  }

  #comparePair(pair: Pair, map: YAMLMap): void {
    const known = this.#pairs.get(pair);
    if (known === undefined) return;
    const { key, value } = pair;
    if (isScalar(key) && known.key !== keyOf(pair)) this.#overwrite(key, key, map);
    if (known.value === value) this.#compare(value);
    else if (isScalar(known.value) && isScalar(value)) this.#overwrite(known.value, value, map);
  }

  /** Writes one scalar over another; in JSON a text stays one in quotes. */
  #overwrite(before: Scalar, after: Scalar, { flow }: YAMLMap): void {
    const [start, end] = before.range ?? [];
    if (start === undefined || end === undefined) return;
    const next = new Scalar(after.value);
    next.type = after.type ?? 'PLAIN';
    if (flow === true && this.#source.text[start] === '"') quote(next);
    const text = this.#write(next);
    if (text !== this.#source.text.slice(start, end)) this.#edits.push({ start, end, text });
  }

  #editBlock(gap: Gap, before: readonly Pair[]): boolean {
    const source = this.#source;
    const touched = [
      ...gap.removed,
      ...(gap.previous === undefined && gap.next !== undefined ? [gap.next] : []),
    ];
    if (!touched.every((pair) => source.isFirstOnLine(this.#start(pair)))) return false;
    const [first, ...others] = gap.removed.map((pair) => this.#linesOf(pair, before));
    const added = gap.added.length === 0 ? undefined : this.#writeLines(gap.added, before);
    if (first === undefined) return added !== undefined && this.#insertLines(gap, added, before);
    if (added === undefined) others.unshift(first);
    else this.#edits.push({ ...first, text: added });
    for (const lines of this.#joined(others)) this.#deleteLines(lines);
    return true;
  }

  /** The lines of an entry, with the comments directly above it; those above a file's first entry are the file's. */
  #linesOf(pair: Pair, before: readonly Pair[]): LineRange {
    const start = this.#start(pair);
    const sibling = before[before.indexOf(pair) - 1];
    const limit = sibling === undefined ? 0 : this.#source.nextLine(this.#end(sibling));
    const isHeader = sibling === undefined && this.#entries.get(this.#root) === before;
    return {
      start: isHeader ? this.#source.lineStart(start) : this.#source.leadStart(start, limit),
      end: this.#source.lineEnd(this.#end(pair)),
    };
  }

  /** Lines that follow each other as one part. */
  #joined(parts: readonly LineRange[]): readonly LineRange[] {
    const joined: LineRange[] = [];
    for (const part of parts) {
      const last = joined.at(-1);
      if (last !== undefined && this.#source.nextLine(last.end) === part.start)
        joined.splice(-1, 1, { start: last.start, end: part.end });
      else joined.push(part);
    }
    return joined;
  }

  /** With the blank line above where another one is below; a last line without an end takes the end above it away. */
  #deleteLines({ start, end }: LineRange): void {
    const { text, eol } = this.#source;
    const next = this.#source.nextLine(end);
    const above = this.#source.lineStart(Math.max(0, start - 1));
    const isBetweenBlanks = this.#source.isBlank(above) && this.#source.isBlank(next) && above < start;
    const isOpen = next === text.length && !text.endsWith('\n');
    const from = isBetweenBlanks ? above : isOpen ? Math.max(0, start - eol.length) : start;
    this.#edits.push({ start: from, end: next, text: '' });
  }

  /** Below the entry before, and the comments that stand right below that. */
  #insertLines({ previous, next }: Gap, lines: string, before: readonly Pair[]): boolean {
    const { eol, text } = this.#source;
    if (previous === undefined) {
      if (next === undefined) return false;
      const { start } = this.#linesOf(next, before);
      this.#edits.push({ start, end: start, text: lines + eol });
      return true;
    }
    const end = this.#end(previous);
    const column = this.#source.column(this.#start(previous));
    const limit = next === undefined ? text.length : this.#linesOf(next, before).start;
    const trail = this.#source.trailEnd(end, column);
    const start = trail < limit ? trail : this.#source.lineEnd(end);
    this.#edits.push({ start, end: start, text: eol + lines });
    return true;
  }

  #writeLines(pairs: readonly Pair[], before: readonly Pair[]): string {
    const [first] = before;
    const column = first === undefined ? 0 : this.#source.column(this.#start(first));
    return indented(this.#write(mapOf(pairs)), ' '.repeat(column), this.#source.eol);
  }

  #editFlow({ removed, added, previous, next }: Gap, before: readonly Pair[]): boolean {
    const [first, last] = [removed.at(0), removed.at(-1)];
    const written = added.length === 0 ? '' : this.#writeFlow(added, before);
    if (first !== undefined && last !== undefined) {
      const [start, end] = [this.#start(first), this.#end(last)];
      if (written !== '') this.#edits.push({ start, end, text: written });
      else if (next !== undefined) this.#edits.push({ start, end: this.#start(next), text: '' });
      else if (previous !== undefined) this.#edits.push({ start: this.#end(previous), end, text: '' });
      else return false;
      return true;
    }
    const separator = this.#separator(before);
    if (previous !== undefined) {
      const end = this.#end(previous);
      this.#edits.push({ start: end, end, text: separator + written });
      return true;
    }
    if (next === undefined) return false;
    const start = this.#start(next);
    this.#edits.push({ start, end: start, text: written + separator });
    return true;
  }

  /** What stands between the entries of a flow map. */
  #separator([first, second]: readonly Pair[]): string {
    if (first === undefined || second === undefined) return ', ';
    const between = this.#source.text.slice(this.#end(first), this.#start(second));
    return /^\s*,\s*$/.test(between) ? between : ', ';
  }

  #writeFlow(pairs: readonly Pair[], before: readonly Pair[]): string {
    const [first] = before;
    const start = first === undefined ? 0 : this.#start(first);
    const map = mapOf(pairs);
    map.flow = true;
    if (this.#source.text[start] === '"') quote(map);
    const text = this.#write(map, { flowCollectionPadding: false });
    const column = this.#source.column(start);
    return indented(text.slice(1, -1).trim(), ' '.repeat(column), this.#source.eol).trimStart();
  }

  /** The whole map anew; the comments above its first entry and behind its end are not part of it. */
  #replace(map: YAMLMap, [first]: readonly Pair[]): void {
    const [start] = map.range ?? [];
    if (start === undefined) return;
    const { text } = this.#source;
    map.comment = null;
    if (first !== undefined && isScalar(first.key)) first.key.commentBefore = null;
    const end = map.flow === true ? (map.range?.[1] ?? start) : this.#source.lineEnd(this.#endBefore(map));
    const written = indented(this.#write(map), ' '.repeat(this.#source.column(start)), this.#source.eol);
    this.#edits.push({ start, end: Math.min(end, text.length), text: written.trimStart() });
  }

  #endBefore(map: YAMLMap): number {
    const last = this.#entries.get(map)?.at(-1);
    return last === undefined ? (map.range?.[1] ?? 0) : this.#end(last);
  }

  #start(pair: Pair): number {
    return this.#pairs.get(pair)?.start ?? 0;
  }

  #end(pair: Pair): number {
    return this.#pairs.get(pair)?.end ?? 0;
  }

  #write(node: Node, layout: ToStringOptions = {}): string {
    const document = new Document(undefined, parsing);
    document.contents = node;
    spellNulls(node);
    return document.toString({ ...this.#layout, ...layout }).trimEnd();
  }
}

function mapOf(pairs: readonly Pair[]): YAMLMap {
  const map = new YAMLMap();
  map.items.push(...pairs);
  return map;
}

/** Writes texts as JSON does. */
function quote(node: Node): void {
  visit(node, {
    Scalar: (_key, scalar) => {
      const read = scalar.type === 'PLAIN' ? resolvePlain(String(scalar.value)) : undefined;
      if (read?.kind === 'value' && typeof read.value === 'string') scalar.type = 'QUOTE_DOUBLE';
    },
  });
}

function indented(text: string, indent: string, eol: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join(eol);
}
