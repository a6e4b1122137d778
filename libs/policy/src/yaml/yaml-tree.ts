import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';

/** A place in a file; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A node of a document's syntax tree, aliases followed. */
export type TreeNode = Exclude<Node, Alias>;

/** One entry of a map. */
export interface Entry {
  readonly key: Node;
  readonly value: Node | undefined;
}

/**
 * The syntax tree of one document, with each alias tied to the node that it stands for: the last anchor of its name
 * before it.
 */
export class YamlTree {
  readonly #targets = new Map<Alias, TreeNode>();
  readonly #anchors = new Map<string, TreeNode>();

  /** Without anchors no alias stands for anything, and the tree need not be walked. */
  constructor(root: Node, hasAnchors: 'anchors' | 'no anchors') {
    if (hasAnchors === 'anchors') this.#tie(root);
  }

  /** What a node stands for; `undefined` where an alias has no anchor before it. */
  resolve(node: Node | undefined): TreeNode | undefined {
    return node !== undefined && isAlias(node) ? this.#targets.get(node) : node;
  }

  #tie(node: Node): void {
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) this.#targets.set(node, target);
      return;
    }
    if (node.anchor !== undefined && node.anchor !== '') this.#anchors.set(node.anchor, node);
    if (isMap(node)) {
      for (const { key, value } of entriesOf(node)) {
        this.#tie(key);
        if (value !== undefined) this.#tie(value);
      }
    } else if (isSeq(node)) {
      for (const item of itemsOf(node.items)) this.#tie(item);
    }
  }
}

/** The entries of a map, in their order. */
export function entriesOf(map: YAMLMap): readonly Entry[] {
  const entries: Entry[] = [];
  for (const { key, value } of map.items as readonly { key: unknown; value: unknown }[])
    if (isTreeNode(key)) entries.push({ key, value: isTreeNode(value) ? value : undefined });
  return entries;
}

/** The items of a list; a single pair in a flow list (`[a: 1]`) is a map, which the parser has made it. */
export function itemsOf(items: readonly unknown[]): readonly Node[] {
  return items.filter((item) => isTreeNode(item));
}

function isTreeNode(value: unknown): value is Node {
  return isScalar(value) || isAlias(value) || isMap(value) || isSeq(value);
}

/** Whether a key is `<<`, written plain: another map is merged in there. */
export function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.tag === undefined && scalarText(key) === '<<';
}

/** Whether a key is `<<` with a tag: a merge to one reader, a text to another. */
export function isTaggedMergeKey(key: Node): boolean {
  return isScalar(key) && key.tag !== undefined && scalarText(key) === '<<';
}

/** A scalar's text before it is given a meaning. */
export function scalarText(node: { readonly source?: string }): string {
  return node.source ?? '';
}

export { isAlias, isMap, isScalar, isSeq };
