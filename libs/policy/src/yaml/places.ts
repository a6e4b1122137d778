import type { Node, YAMLMap, YAMLSeq } from 'yaml';
import { setOwn } from '../reading/set-own.ts';
import { maximumDepth, maximumMergedMaps } from './limits.ts';
import { scalarValue } from './scalar-value.ts';
import {
  entriesOf,
  type Entry,
  isMap,
  isMergeKey,
  isScalar,
  isSeq,
  itemsOf,
  type Position,
  type TreeNode,
  type YamlTree,
} from './yaml-tree.ts';

/**
 * Where the fields of a file's documents stand: plain data, a few bytes a field, so that it can be kept when the syntax
 * tree is gone, and sent to another thread. Read by {@link locateIn}.
 */
export interface Places {
  /** Every key of the file's maps, and the number that stands for it. */
  readonly names: Readonly<Record<string, number>>;
  /**
   * Places and nodes. A place is `line, column, node`, where node is the index of the list or map that stands there, 0
   * where there is none. A list is `0, items, …` and a place an item; a map is `1, fields, merged, …`, then `name` and
   * a place for each field in the order of their names' numbers, then the node of each map that `<<` merges in.
   */
  readonly numbers: Uint32Array;
}

const none = 0;
const listTag = 0;
const mapTag = 1;
const placeSize = 3;
const fieldSize = 1 + placeSize;

/** A tree, where it begins, and where its nodes are. */
export interface PlacedTree {
  readonly tree: YamlTree;
  readonly root: TreeNode;
  readonly positionOf: (node: Node) => Position;
}

/** Writes down where the fields of documents stand. What an alias stands for is written once, and shared. */
export class PlacesBuilder {
  readonly #names: Record<string, number> = {};
  // Index 0 is taken, so that it can mean "no node", which is no map.
  readonly #numbers: number[] = [none];
  readonly #known = new Map<TreeNode, number>();
  #nameCount = 0;

  /** Adds a document. The result is its place, for {@link locateIn}. */
  add(placed: PlacedTree): number {
    const at = this.#reserve(placeSize);
    this.#place(at, placed, { at: placed.root, value: placed.root, depth: 0 });
    return at;
  }

  /** Adds where a document begins, and nothing of its inside. */
  addStart({ line, column }: Position): number {
    this.#numbers.push(line, column, none);
    return this.#numbers.length - placeSize;
  }

  build(): Places {
    return { names: this.#names, numbers: Uint32Array.from(this.#numbers) };
  }

  #reserve(size: number): number {
    const at = this.#numbers.length;
    for (let count = 0; count < size; count += 1) this.#numbers.push(none);
    return at;
  }

  #place(index: number, placed: PlacedTree, { at, value, depth }: PlacedNode): void {
    const { line, column } = placed.positionOf(at);
    this.#numbers[index] = line;
    this.#numbers[index + 1] = column;
    this.#numbers[index + 2] = this.#node(placed, value, depth);
  }

  #node(placed: PlacedTree, value: Node | undefined, depth: number): number {
    const node = placed.tree.resolve(value);
    // Nothing that deep is taken: its parent's place will do.
    if (node === undefined || isScalar(node) || depth > maximumDepth) return none;
    return (
      this.#known.get(node) ??
      (isSeq(node) ? this.#list(placed, node, depth) : this.#map(placed, node, depth))
    );
  }

  #list(placed: PlacedTree, list: YAMLSeq, depth: number): number {
    const items = itemsOf(list.items);
    const index = this.#reserve(2 + items.length * placeSize);
    // Before its items: a list may contain itself.
    this.#known.set(list, index);
    this.#numbers[index] = listTag;
    this.#numbers[index + 1] = items.length;
    for (const [count, item] of items.entries())
      this.#place(index + 2 + count * placeSize, placed, { at: item, value: item, depth: depth + 1 });
    return index;
  }

  #map(placed: PlacedTree, map: YAMLMap, depth: number): number {
    const entries = entriesOf(map);
    const fields = this.#fields(placed.tree, entries);
    const sources = entries.flatMap(({ key, value }) =>
      isMergeKey(key) ? mergeSources(placed.tree, value) : [],
    );
    const index = this.#reserve(3 + fields.length * fieldSize + sources.length);
    this.#known.set(map, index);
    this.#numbers[index] = mapTag;
    this.#numbers[index + 1] = fields.length;
    this.#numbers[index + 2] = sources.length;
    let at = index + 3;
    for (const [name, { key, value }] of fields) {
      this.#numbers[at] = name;
      this.#place(at + 1, placed, { at: key, value, depth: depth + 1 });
      at += fieldSize;
    }
    for (const source of sources) this.#numbers[at++] = this.#node(placed, source, depth + 1);
    return index;
  }

  /** By name, the last of a name wins. */
  #fields(tree: YamlTree, entries: readonly Entry[]): readonly (readonly [number, Entry])[] {
    const fields = new Map<number, Entry>();
    for (const entry of entries) {
      const name = isMergeKey(entry.key) ? undefined : this.#name(tree, entry.key);
      if (name !== undefined) fields.set(name, entry);
    }
    return [...fields].sort(([one], [other]) => one - other);
  }

  #name(tree: YamlTree, key: Node): number | undefined {
    const node = tree.resolve(key);
    if (node === undefined || !isScalar(node)) return undefined;
    const text = String(scalarValue(node).value);
    if (!Object.hasOwn(this.#names, text)) setOwn(this.#names, text, this.#nameCount++);
    return this.#names[text];
  }
}

interface PlacedNode {
  /** What the position is of. */
  readonly at: Node;
  readonly value: Node | undefined;
  readonly depth: number;
}

/** What `<<` names: a map, or several in a list. */
export function mergeSources(tree: YamlTree, value: Node | undefined): readonly TreeNode[] {
  const node = tree.resolve(value);
  if (node === undefined) return [];
  const nodes = isSeq(node) ? itemsOf(node.items).map((item) => tree.resolve(item)) : [node];
  return nodes.filter((each) => each !== undefined).filter(isMap);
}

/** Where a field of the document at `root` is: at its key, its list item, or at the nearest parent that exists. */
export function locateIn(places: Places, root: number, path: readonly (string | number)[]): Position {
  const { numbers } = places;
  let at = root;
  for (const key of path) {
    const next = stepInto(places, numbers[at + 2] ?? none, key);
    if (next === undefined) break;
    at = next;
  }
  return { line: numbers[at] ?? 1, column: numbers[at + 1] ?? 1 };
}

function stepInto({ names, numbers }: Places, node: number, key: string | number): number | undefined {
  if (node === none) return undefined;
  if (numbers[node] === listTag) {
    const isItem = typeof key === 'number' && key >= 0 && key < (numbers[node + 1] ?? 0);
    return isItem ? node + 2 + key * placeSize : undefined;
  }
  const name = Object.hasOwn(names, key) ? names[key] : undefined;
  if (name === undefined) return undefined;
  return ownField(numbers, { node, name }) ?? mergedField(numbers, { node, name }, new Set([node]));
}

/** A map, and the number of a name. */
interface WantedField {
  readonly node: number;
  readonly name: number;
}

function ownField(numbers: Uint32Array, { node, name }: WantedField): number | undefined {
  return searchField(numbers, node + 3, { fields: numbers[node + 1] ?? 0, name });
}

/** That of the first map merged in that has it, or has it merged in. Each map is looked into once. */
function mergedField(
  numbers: Uint32Array,
  { node, name }: WantedField,
  seen: Set<number>,
): number | undefined {
  const sources = node + 3 + (numbers[node + 1] ?? 0) * fieldSize;
  for (let at = sources; at < sources + (numbers[node + 2] ?? 0); at += 1) {
    const source = numbers[at] ?? none;
    if (numbers[source] !== mapTag || seen.has(source) || seen.size >= maximumMergedMaps) continue;
    seen.add(source);
    const wanted = { node: source, name };
    const found = ownField(numbers, wanted) ?? mergedField(numbers, wanted, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fields stand in the order of their names' numbers. */
function searchField(
  numbers: Uint32Array,
  first: number,
  { fields, name }: { readonly fields: number; readonly name: number },
): number | undefined {
  let low = 0;
  let high = fields - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = numbers[first + middle * fieldSize] ?? 0;
    if (found === name) return first + middle * fieldSize + 1;
    if (found < name) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
