import type { Node } from 'yaml';
import type { Finding } from '../reading/place.ts';
import { maximumMergedMaps } from './limits.ts';
import { locateIn, mergeSources, PlacesBuilder } from './places.ts';
import { scalarValue } from './scalar-value.ts';
import { type NodeFinding, ValueReader, type ValueRules } from './value-reader.ts';
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

/** A document's value and what was found while reading it. */
export interface YamlValue {
  readonly value: unknown;
  readonly findings: readonly NodeFinding[];
}

/** Where a document's nodes are, and whether its syntax is wrong. */
export interface DocumentPlace {
  readonly positionOf: (node: Node) => Position;
  readonly isBroken: boolean;
}

/** One document of a file, or one item of a `List`. */
export class YamlDocument {
  readonly #tree: YamlTree;
  readonly #root: TreeNode;
  readonly #positionOf: (node: Node) => Position;
  /** Whether its syntax is wrong: what it seems to say is then not looked at. */
  readonly isBroken: boolean;

  constructor(tree: YamlTree, root: TreeNode, place: DocumentPlace) {
    this.#tree = tree;
    this.#root = root;
    this.#positionOf = place.positionOf;
    this.isBroken = place.isBroken;
  }

  /** Where the document begins. */
  get start(): Position {
    return this.#positionOf(this.#root);
  }

  /** Every value that a field of the root has, of a collection an empty one; several where its key stands there twice. */
  shallowValues(name: string): readonly unknown[] {
    return this.#find(this.#root, name).flatMap(({ value }): readonly unknown[] => {
      const node = this.#tree.resolve(value);
      if (node === undefined) return [];
      if (isScalar(node)) return [scalarValue(node).value];
      return [isSeq(node) ? [] : {}];
    });
  }

  /** What is wrong with the scalars that a field of the root has. */
  scalarFindings(name: string): readonly Finding[] {
    return this.#find(this.#root, name).flatMap(({ value }) => {
      const node = this.#tree.resolve(value);
      return node !== undefined && isScalar(node) ? (scalarValue(node).finding ?? []) : [];
    });
  }

  /** How often a field's key stands in the root. */
  occurrences(name: string): number {
    return this.#find(this.#root, name).length;
  }

  /** The lines on which a field's key stands in the root. */
  linesOf(name: string): readonly number[] {
    return this.#find(this.#root, name).map(({ key }) => this.#positionOf(key).line);
  }

  /** The items of a list field of the root, each as a document; `undefined` where it is no list. */
  items(name: string): readonly YamlDocument[] | undefined {
    return this.#itemsOf(this.#tree.resolve(this.#find(this.#root, name).at(-1)?.value));
  }

  /** The items of a root that is a list itself, each as a document; `undefined` where it is none. */
  rootItems(): readonly YamlDocument[] | undefined {
    return this.#itemsOf(this.#root);
  }

  #itemsOf(list: TreeNode | undefined): readonly YamlDocument[] | undefined {
    if (list === undefined || !isSeq(list)) return undefined;
    const place = { positionOf: this.#positionOf, isBroken: this.isBroken };
    return itemsOf(list.items).flatMap((item) => {
      const node = this.#tree.resolve(item);
      return node === undefined ? [] : [new YamlDocument(this.#tree, node, place)];
    });
  }

  /** The document as a JSON value. */
  read(rules: ValueRules): YamlValue {
    const reader = new ValueReader(this.#tree, rules, (node) => this.#positionOf(node).line);
    return { value: reader.readRoot(this.#root), findings: reader.findings };
  }

  /** The text of a field of maps in each other; `undefined` where there is none. */
  text(path: readonly string[]): string | undefined {
    let node: TreeNode | undefined = this.#root;
    for (const name of path) {
      const entry: Entry | undefined = node === undefined ? undefined : this.#find(node, name).at(-1);
      node = this.#tree.resolve(entry?.value);
    }
    const value = node !== undefined && isScalar(node) ? scalarValue(node).value : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  /** Where a field of the root is, or the document's start. */
  locateField(name: string): Position {
    return this.#positionOf(this.#find(this.#root, name).at(-1)?.key ?? this.#root);
  }

  /** Finds where its fields stand: at the key, the list item, or the nearest parent that exists. */
  locator(): (path: readonly (string | number)[]) => Position {
    const builder = new PlacesBuilder();
    const root = this.addPlaces(builder);
    const places = builder.build();
    return (path) => locateIn(places, root, path);
  }

  /** Writes down where its fields stand. */
  addPlaces(builder: PlacesBuilder): number {
    return builder.add({ tree: this.#tree, root: this.#root, positionOf: this.#positionOf });
  }

  /** Where a node is. */
  positionOf(node: Node): Position {
    return this.#positionOf(node);
  }

  /** The entries of that name: the map's own, else those that it merges in. */
  #find(node: TreeNode, name: string, seen = new Set<TreeNode>()): readonly Entry[] {
    if (!isMap(node) || seen.has(node) || seen.size >= maximumMergedMaps) return [];
    seen.add(node);
    const entries = entriesOf(node);
    const own = entries.filter(({ key }) => !isMergeKey(key) && this.#keyText(key) === name);
    if (own.length > 0) return own;
    for (const { key, value } of entries) {
      if (!isMergeKey(key)) continue;
      for (const source of mergeSources(this.#tree, value)) {
        const found = this.#find(source, name, seen);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  #keyText(key: Node): string | undefined {
    const node = this.#tree.resolve(key);
    return node !== undefined && isScalar(node) ? String(scalarValue(node).value) : undefined;
  }
}
