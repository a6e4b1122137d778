/** A node of a tree: 32 bytes. */
export type MerkleNode = Uint8Array;

/** SHA-256 of bytes, as 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

const utf8 = new TextEncoder();

/** The hash of a leaf: of a zero byte and the text. */
export function merkleLeaf(text: string, sha256: Sha256): MerkleNode {
  const bytes = utf8.encode(text);
  const prefixed = new Uint8Array(bytes.length + 1);
  prefixed.set(bytes, 1);
  return sha256(prefixed);
}

function nodeOf([left, right]: readonly [MerkleNode, MerkleNode], sha256: Sha256): MerkleNode {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha256(bytes);
}

/**
 * The root of a tree whose leaves come one after the other. It keeps one node per level.
 *
 * @see RFC 6962, section 2.1
 */
export class MerkleRoot {
  /** Complete subtrees from left to right, each smaller than the one before. */
  readonly #subtrees: { readonly node: MerkleNode; readonly size: number }[] = [];
  readonly #sha256: Sha256;
  #size = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  add(leaf: MerkleNode): void {
    this.#size += 1;
    let subtree = { node: leaf, size: 1 };
    for (let last = this.#subtrees.at(-1); last?.size === subtree.size; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      subtree = { node: nodeOf([last.node, subtree.node], this.#sha256), size: last.size + subtree.size };
    }
    this.#subtrees.push(subtree);
  }

  /** The root over the leaves so far; without any, the hash of no bytes. */
  get root(): MerkleNode {
    const nodes = this.#subtrees.map(({ node }) => node);
    const last = nodes.pop();
    return last === undefined
      ? this.#sha256(new Uint8Array())
      : nodes.reduceRight((right, left) => nodeOf([left, right], this.#sha256), last);
  }
}

/** A tree whose leaves are all known, for proofs. */
export class MerkleTree {
  /** From the leaves to the root; a last node without a neighbour is in the next level as it is. */
  readonly #levels: readonly (readonly MerkleNode[])[];

  constructor(leaves: readonly MerkleNode[], sha256: Sha256) {
    const levels: (readonly MerkleNode[])[] = [leaves];
    for (let level = leaves; level.length > 1; levels.push(level)) level = levelAbove(level, sha256);
    this.#levels = levels;
  }

  /** The neighbours from a leaf up to the root. */
  proof(index: number): readonly MerkleNode[] {
    return this.#levels.flatMap((level, height) => level[neighbourOf(index, height)] ?? []);
  }
}

function levelAbove(level: readonly MerkleNode[], sha256: Sha256): readonly MerkleNode[] {
  const above: MerkleNode[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at], level[at + 1]];
    if (left !== undefined) above.push(right === undefined ? left : nodeOf([left, right], sha256));
  }
  return above;
}

function neighbourOf(index: number, height: number): number {
  return Math.floor(index / 2 ** height) ^ 1;
}

/** A leaf with its place in a tree and its proof. */
export interface Inclusion {
  readonly leaf: MerkleNode;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly MerkleNode[];
}

/** The root that a leaf has with its proof; `null` where the proof has another length than one of its place. */
export function rootOfProof({ leaf, index, size, proof }: Inclusion, sha256: Sha256): MerkleNode | null {
  let node = leaf;
  let used = 0;
  let last = size - 1;
  for (let place = index; last > 0; place = Math.floor(place / 2), last = Math.floor(last / 2)) {
    // The bitwise operators end at 2^31.
    if (place === last && place % 2 === 0) continue;
    const neighbour = proof[used];
    if (neighbour === undefined) return null;
    used += 1;
    node = nodeOf(place % 2 === 1 ? [neighbour, node] : [node, neighbour], sha256);
  }
  return used === proof.length && index < size ? node : null;
}
