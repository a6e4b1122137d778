export type { ActionAnswer, ActionAnswersPort, ActionBeginning, BegunAction } from './action-answers.port.ts';
export { maximumQueuedRequests } from './append-queue.ts';
export type { Appended, AppendFailure, AppendRequest, DerivedStates } from './append-request.ts';
export type { AsJson } from './as-json.ts';
export { parseCanonicalJson } from './canonical-text.ts';
export { type Chained, chainEntries, type InvalidEntry } from './chain.ts';
export { type CheckpointPort, maximumCheckpointSeconds, type SealContradiction } from './checkpoint.port.ts';
export {
  type CheckpointBody,
  checkpointBodyText,
  type CheckpointNote,
  checkpointOrigin,
  parseCheckpointNote,
} from './checkpoint-note.ts';
export { encodeCursor, type EntryCursor, parseCursor } from './cursor.ts';
export { type DecisionSummary, parseSummaryText, summaryOf, summaryTextOf } from './decision-summary.ts';
export {
  type EarlierReplicas,
  loadEarlierReplicas,
  type LoweredPolicy,
  stepWindowSeconds,
} from './earlier-replicas.ts';
export {
  type ChainedEntry,
  type DraftOf,
  emptyHead,
  type EntryDraft,
  type EntryFrame,
  type EntryOf,
  genesisHash,
  type LedgerEntry,
  type StreamHead,
} from './entry.ts';
export {
  type EntryFormat,
  type HashedHeader,
  hashEntry,
  hashEntryOfFormat1,
  isKnownFormat,
  newestFormat,
  observationReference,
  payloadTexts,
  type TextSpan,
} from './entry-hash.ts';
export { type EntryAddress, entryId, parseEntryId } from './entry-id.ts';
export { type EntryKind, entryKinds, isEntryKind, isIntent, type LiveKind, liveKinds } from './entry-kind.ts';
export { namesOf } from './entry-names.ts';
export { namespaceOfEntry, policyOfEntry } from './entry-namespace.ts';
export { timeNanoseconds } from './entry-time.ts';
export { entrySelector, type ExportFilter, selectsStream } from './export/export-filter.ts';
export {
  type ExportedLine,
  type ExportReader,
  type ExportSnapshot,
  readExportedLines,
  readSnapshot,
  settledSnapshot,
  unfitCheckpoint,
} from './export/export-reader.ts';
export { RecordedSegments, type SegmentFault } from './export/recorded-segments.ts';
export {
  hexOf,
  isOfSome,
  parseSealedHead,
  provenRoot,
  type SealedHead,
  sealedLines,
} from './export/sealed-heads.ts';
export { SelectedRanges } from './export/selected-ranges.ts';
export {
  type ExportedContent,
  exportedEntry,
  exportedHead,
  exportedSegment,
  parseExportedEntry,
  parseExportedHead,
  parseExportedSegment,
  type StoredContent,
  type StoredEntry,
} from './exported-entry.ts';
export {
  administrationScope,
  type ElectedHolder,
  type Fence,
  fenceExpirySeconds,
  type FenceLost,
  type FencePort,
  fenceRenewalSeconds,
  formerScope,
  journalScope,
  type ScopeHeld,
  type SeenScope,
  shardLayoutScope,
  shardOfScope,
  shardScope,
  sourceScope,
} from './fence.port.ts';
export type { OpenRun } from './fold-decision.ts';
export {
  foldDecision,
  type FoldedDecision,
  type RunEnd,
  runEndOf,
  sealedRun,
  sealRun,
} from './fold-decision.ts';
export {
  type FoldedHpaObservation,
  foldHpaObservation,
  sealHpaObservation,
  type SeenHpaStatus,
} from './fold-hpa-observation.ts';
export { forEachPage } from './for-each-page.ts';
export { noteHash, sha256Bytes, sha256Hex } from './hash.ts';
export { type FenceLookup, HeldFences } from './held-fences.ts';
export {
  formerJournalScope,
  journalHeader,
  journalLine,
  type JournalRecord,
  journalRestart,
  type ParsedJournal,
  parseJournal,
  parseJournalLine,
  type PlacedRecord,
} from './journal-record.ts';
export {
  journalRecordOf,
  newestDecisionIds,
  type ReplayOrder,
  replayRequest,
  statesWithoutDecision,
} from './journal-replay.ts';
export { type KeyRotationBody, keyRotationBodyText, parseKeyRotationNote } from './key-rotation-note.ts';
export {
  type AccountedReplicas,
  type AppendBatch,
  type AppendRefusal,
  type DecisionQuery,
  type EntryPage,
  type EntryQuery,
  type EntryReading,
  type FollowingEntries,
  type LastDecision,
  type LedgerPort,
  type ListedEntry,
  maximumBatchEntries,
  maximumEntriesPerRead,
  maximumPageLimit,
  maximumPagesPerRead,
  maximumPoliciesPerRead,
  type NamedPage,
  outcomeUnknown,
  type PolicyState,
  type RecordedConditions,
  type RecordedContest,
  type RecordedHpa,
  type RecordedRefusal,
  type RecordedStrategy,
  type StoredSource,
  type UnsupportedHpa,
} from './ledger.port.ts';
export { type FenceSource, LedgerWriter, type LedgerWriterOptions } from './ledger-writer.ts';
export { merkleLeaf, type MerkleNode, MerkleRoot, MerkleTree, rootOfProof } from './merkle.ts';
export {
  generateSigningKey,
  isSignedWith,
  parsePublicKeyText,
  parseSigningKey,
  parseVerificationKey,
  publicKeyPem,
  publicKeyText,
  type SigningKey,
  signNote,
} from './note-signature.ts';
export type {
  CheckpointPayload,
  DeletedCounts,
  KeyLostPayload,
  KeyRotationPayload,
  LedgerGapPayload,
  OperatorActionPayload,
  RetentionRule,
  RetentionRunPayload,
  SettingsChangePayload,
} from './payloads/administration-payloads.ts';
export type {
  DecisionPayload,
  DecisionRunPayload,
  MetricRange,
  Range,
  RecordedInput,
} from './payloads/decision-payloads.ts';
export type { EntryPayloads } from './payloads/entry-payloads.ts';
export type {
  ActuationIntentPayload,
  ActuationOutcomePayload,
  ActuationVerb,
  FieldDifference,
  HpaCondition,
  HpaDrift,
  HpaObservationPayload,
} from './payloads/hpa-payloads.ts';
export type {
  CommitReviewPayload,
  PolicyChangePayload,
  PolicyDeparture,
  ReviewedPullRequest,
  StrategyChangePayload,
  StrategyField,
  SyncRunPayload,
} from './payloads/policy-payloads.ts';
export type { CommitReference, OperatorReference, TargetReference } from './payloads/references.ts';
export type {
  ScalingEventPayload,
  ScalingFailurePayload,
  ScalingIntentPayload,
} from './payloads/scaling-payloads.ts';
export { policiesOf } from './policies-of.ts';
export type { DeletedContent, ExpiryRule, FoundSegments, RetentionPort } from './retention.port.ts';
export { maximumRunSeconds } from './run-length.ts';
export type { MetricMeasure } from './series/metric-value.ts';
export {
  ChartBuilder,
  type ChartRange,
  type MetricChart,
  type PolicyAt,
  type PolicyChart,
  type StepValues,
} from './series/policy-chart.ts';
export {
  decodePassColumns,
  decodeSeriesChunk,
  encodeSeriesChunk,
  isSameLayout,
  joinSeriesChunks,
  type SeriesChunk,
  seriesColumns,
  type SeriesLayout,
  type SeriesMetric,
  sliceSeriesChunk,
} from './series/series-chunk.ts';
export { SeriesRecorder } from './series/series-recorder.ts';
export type {
  CountsQuery,
  PolicyCounts,
  RecordedChunk,
  SeriesQuery,
  SeriesStorePort,
} from './series/series-store.port.ts';
export type { ShardLayout, ShardLayoutPort } from './shard-layout.port.ts';
export type { SignedNote } from './signed-note.ts';
export {
  type InterventionChanges,
  type InterventionScope,
  scopeName,
  type StandingIntervention,
} from './standing-intervention.ts';
export type { LostEntries } from './stored-heads.ts';
export {
  adminStream,
  isLateStream,
  isStreamName,
  lateStream,
  nameBefore,
  type PolicyKey,
  policyOfStream,
  policyStream,
  syncStream,
} from './stream-name.ts';
export type { StoredToken, TokenChanges, TokenStorePort } from './token-store.port.ts';
export {
  type ChainEnd,
  type ChainFault,
  emptyEnd,
  type UnverifiedContent,
  type UnverifiedEntry,
  type UnverifiedFrame,
  verifyEnd,
  verifyNext,
  verifyStream,
} from './verify-stream.ts';
