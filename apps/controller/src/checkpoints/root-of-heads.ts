import {
  type CheckpointBody,
  type CheckpointPort,
  exportedHead,
  maximumPageLimit,
  merkleLeaf,
  MerkleRoot,
  sha256Bytes,
} from '#ledger';

/** What a checkpoint states of heads, which are read a page at a time. */
export async function rootOfHeads(
  headsOf: CheckpointPort['sealedHeads'],
): Promise<Pick<CheckpointBody, 'streams' | 'entries' | 'root'>> {
  const tree = new MerkleRoot(sha256Bytes);
  let entries = 0n;
  let after = '';
  for (;;) {
    const heads = await headsOf({ after, limit: maximumPageLimit });
    for (const head of heads) {
      tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
      entries += head.seq;
      after = head.stream;
    }
    if (heads.length < maximumPageLimit) break;
  }
  return { streams: BigInt(tree.size), entries, root: Buffer.from(tree.root).toString('hex') };
}
