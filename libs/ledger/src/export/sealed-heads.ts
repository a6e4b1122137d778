import { canonicalJson } from '#kernel';
import type { StreamHead } from '../entries/entry.ts';
import { sha256Bytes } from '../entries/hash.ts';
import { type ExportFilter, selectsStream } from './export-filter.ts';
import { exportedHead, parseExportedHead } from './exported-entry.ts';
import { merkleLeaf, type MerkleNode, MerkleTree, rootOfProof } from './merkle.ts';
import { SelectedRanges } from './selected-ranges.ts';

/** A head that a checkpoint covers, and in an export of some streams what proves it. */
export interface SealedHead {
  readonly head: StreamHead;
  /** `null`: all heads are there, and prove each other. */
  readonly inclusion: { readonly index: number; readonly proof: readonly MerkleNode[] } | null;
}

/** Whether a filter leaves streams out. */
export function isOfSome({ namespaces, policies }: ExportFilter): boolean {
  return namespaces !== null || policies !== null;
}

/** The lines of the heads that are selected: with their proofs and neighbours, unless all are. */
export function sealedLines(heads: readonly StreamHead[], filter: ExportFilter): readonly string[] {
  if (!isOfSome(filter)) return heads.map(exportedHead);
  const tree = new MerkleTree(
    heads.map((head) => merkleLeaf(exportedHead(head), sha256Bytes)),
    sha256Bytes,
  );
  const neighbours = new SelectedRanges(filter).neighbours(heads.map(({ stream }) => stream));
  return heads.flatMap((head, index) => {
    if (!selectsStream(filter, head.stream) && !neighbours.has(index)) return [];
    const { stream, seq, hash } = head;
    const proof = tree.proof(index).map(hexOf);
    return [canonicalJson({ hash, index: String(index), proof, seq: String(seq), stream })];
  });
}

const provenForm =
  /^(\{"hash":"[0-9a-f]{64}"),"index":"(0|[1-9]\d{0,14})","proof":\[((?:"[0-9a-f]{64}",?){0,64})\](,"seq":[^\n]*)$/;
/** Two quotes and the digits. */
const nodeLength = 66;

/** Reads the line of a sealed head; `null` where it is none. */
export function parseSealedHead(line: string, hasProofs: boolean): SealedHead | null {
  if (hasProofs) return parseProvenHead(line);
  const head = parseExportedHead(line);
  return head === null ? null : { head, inclusion: null };
}

function parseProvenHead(line: string): SealedHead | null {
  const match = provenForm.exec(line);
  if (match === null) return null;
  const [, front = '', index = '', nodes = '', back = ''] = match;
  const head = parseExportedHead(`${front}${back}`);
  const proof = nodes === '' ? [] : nodes.split(',');
  if (head === null || proof.some((node) => node.length !== nodeLength)) return null;
  return {
    head,
    inclusion: { index: Number(index), proof: proof.map((node) => Buffer.from(node.slice(1, -1), 'hex')) },
  };
}

/** The root that a head has by its own proof; `null` where it proves nothing. */
export function provenRoot({ head, inclusion }: SealedHead, streams: bigint): string | null {
  if (inclusion === null) return null;
  const leaf = merkleLeaf(exportedHead(head), sha256Bytes);
  const root = rootOfProof({ leaf, size: Number(streams), ...inclusion }, sha256Bytes);
  return root === null ? null : hexOf(root);
}

/** A node as hexadecimal digits. */
export function hexOf(node: MerkleNode): string {
  return Buffer.from(node).toString('hex');
}
