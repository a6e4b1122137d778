import { sha256Bytes } from './hash.ts';

/** A node of a tree: 32 bytes. */
export type MerkleNode = Uint8Array;

const utf8 = new TextEncoder();

/** The hash of a leaf: of a zero byte and the text. */
export function merkleLeaf(text: string): MerkleNode {
  const bytes = utf8.encode(text);
  const prefixed = new Uint8Array(bytes.length + 1);
  prefixed.set(bytes, 1);
  return sha256Bytes(prefixed);
}

function nodeOf(left: MerkleNode, right: MerkleNode): MerkleNode {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha256Bytes(bytes);
}

/**
 * The root of a tree whose leaves come one after the other. It keeps one node per level.
 *
 * @see RFC 6962, section 2.1
 */
export class MerkleRoot {
  /** Complete subtrees from left to right, each smaller than the one before. */
  readonly #subtrees: { readonly node: MerkleNode; readonly size: number }[] = [];
  #size = 0;

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  add(leaf: MerkleNode): void {
    this.#size += 1;
    let subtree = { node: leaf, size: 1 };
    for (let last = this.#subtrees.at(-1); last?.size === subtree.size; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      subtree = { node: nodeOf(last.node, subtree.node), size: last.size + subtree.size };
    }
    this.#subtrees.push(subtree);
  }

  /** The root over the leaves so far; without any, the hash of no bytes. */
  get root(): MerkleNode {
    const nodes = this.#subtrees.map(({ node }) => node);
    const last = nodes.pop();
    return last === undefined
      ? sha256Bytes(new Uint8Array())
      : nodes.reduceRight((right, left) => nodeOf(left, right), last);
  }
}
