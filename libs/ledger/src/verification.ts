/**
 * What verifies entries and checkpoints outside Node.js: no module that it needs is one of Node's own. Hashes are
 * arguments; those here also work where the browser has no Web Crypto, which is on pages without TLS.
 */
export { parseCanonicalJson } from './canonical-text.ts';
export { type CheckpointBody, type CheckpointNote, parseCheckpointNote } from './checkpoint-note.ts';
export type { StreamHead } from './entry.ts';
export type { Sha256Hex } from './entry-hash.ts';
export { timeNanoseconds } from './entry-time.ts';
export { entrySelector, type ExportFilter } from './export/export-filter.ts';
export { RecordedSegments, type SegmentFault } from './export/recorded-segments.ts';
export { parseExportedEntry, parseExportedHead, parseExportedSegment } from './exported-entry.ts';
export { type KeyRotationBody, parseKeyRotationNote } from './key-rotation-note.ts';
export { merkleLeaf, type MerkleNode, MerkleRoot, rootOfProof, type Sha256 } from './merkle.ts';
export { pureSha256, pureSha256Hex } from './pure-hash.ts';
export { isGenuineNote, parsePublicKey, publicKeyFingerprint } from './pure-signature.ts';
export type { SignedNote } from './signed-note.ts';
export {
  type ChainEnd,
  type ChainFault,
  emptyEnd,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
  verifyStream,
} from './verify-stream.ts';
