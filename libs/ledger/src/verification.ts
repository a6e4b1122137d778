/**
 * What verifies entries and checkpoints outside Node.js: no module that it needs is one of Node's own. Hashes are
 * arguments; those here also work where the browser has no Web Crypto, which is on pages without TLS.
 */
export type { StreamHead } from './entries/entry.ts';
export type { Sha256Hex } from './entries/entry-hash.ts';
export { timeNanoseconds } from './entries/entry-time.ts';
export { parseCanonicalJson } from './export/canonical-text.ts';
export { entrySelector, type ExportFilter } from './export/export-filter.ts';
export { parseExportedEntry, parseExportedHead, parseExportedSegment } from './export/exported-entry.ts';
export { merkleLeaf, type MerkleNode, MerkleRoot, rootOfProof, type Sha256 } from './export/merkle.ts';
export { RecordedSegments, type SegmentFault } from './export/recorded-segments.ts';
export {
  type ChainEnd,
  type ChainFault,
  emptyEnd,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
  verifyStream,
} from './export/verify-stream.ts';
export { type CheckpointBody, type CheckpointNote, parseCheckpointNote } from './notes/checkpoint-note.ts';
export { type KeyRotationBody, parseKeyRotationNote } from './notes/key-rotation-note.ts';
export { pureSha256, pureSha256Hex } from './notes/pure-hash.ts';
export { isGenuineNote, parsePublicKey, publicKeyFingerprint } from './notes/pure-signature.ts';
export type { SignedNote } from './notes/signed-note.ts';
