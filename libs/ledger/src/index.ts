export type { Appended, AppendFailure, AppendRequest, DerivedStates } from './append/append-request.ts';
export { type Chained, chainEntries, type InvalidEntry } from './append/chain.ts';
export { type FenceLookup, HeldFences } from './append/held-fences.ts';
export { type FenceSource, LedgerWriter, type LedgerWriterOptions } from './append/ledger-writer.ts';
export { policiesOf } from './append/policies-of.ts';
export type { LostEntries } from './append/stored-heads.ts';
export type { AsJson } from './entries/as-json.ts';
export {
  type DecisionSummary,
  parseSummaryText,
  summaryOf,
  summaryTextOf,
} from './entries/decision-summary.ts';
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
} from './entries/entry.ts';
export {
  type EntryFormat,
  type HashedHeader,
  hashEntry,
  hashEntryOfFormat1,
  observationReference,
  payloadTexts,
  type TextSpan,
} from './entries/entry-hash.ts';
export { type EntryAddress, entryId, parseEntryId } from './entries/entry-id.ts';
export {
  type EntryKind,
  entryKinds,
  isEntryKind,
  isIntent,
  type LiveKind,
  liveKinds,
} from './entries/entry-kind.ts';
export { namesOf } from './entries/entry-names.ts';
export { namespaceOfEntry, policyOfEntry } from './entries/entry-namespace.ts';
export { timeNanoseconds } from './entries/entry-time.ts';
export { noteHash, sha256Bytes, sha256Hex } from './entries/hash.ts';
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
} from './entries/payloads/administration-payloads.ts';
export type {
  DecisionPayload,
  DecisionRunPayload,
  MetricRange,
  Range,
  RecordedInput,
} from './entries/payloads/decision-payloads.ts';
export type { EntryPayloads } from './entries/payloads/entry-payloads.ts';
export type {
  ActuationIntentPayload,
  ActuationOutcomePayload,
  ActuationVerb,
  FieldDifference,
  HpaCondition,
  HpaDrift,
  HpaObservationPayload,
} from './entries/payloads/hpa-payloads.ts';
export type {
  CommitReviewPayload,
  PolicyChangePayload,
  PolicyDeparture,
  ReviewedPullRequest,
  StrategyChangePayload,
  StrategyField,
  SyncRunPayload,
} from './entries/payloads/policy-payloads.ts';
export type { CommitReference, OperatorReference, TargetReference } from './entries/payloads/references.ts';
export type {
  ScalingEventPayload,
  ScalingFailurePayload,
  ScalingIntentPayload,
} from './entries/payloads/scaling-payloads.ts';
export {
  type InterventionChanges,
  type InterventionScope,
  scopeName,
  type StandingIntervention,
} from './entries/standing-intervention.ts';
export {
  adminStream,
  isLateStream,
  lateStream,
  nameBefore,
  type PolicyKey,
  policyOfStream,
  policyStream,
  syncStream,
} from './entries/stream-name.ts';
export { parseCanonicalJson } from './export/canonical-text.ts';
export { entrySelector, type ExportFilter } from './export/export-filter.ts';
export {
  type ExportedLine,
  type ExportReader,
  type ExportSnapshot,
  readExportedLines,
  readSnapshot,
  settledSnapshot,
  unfitCheckpoint,
} from './export/export-reader.ts';
export {
  type ExportedContent,
  exportedEntry,
  exportedHead,
  parseExportedEntry,
  parseExportedHead,
  parseExportedSegment,
  type StoredContent,
  type StoredEntry,
} from './export/exported-entry.ts';
export { merkleLeaf, MerkleRoot, rootOfProof } from './export/merkle.ts';
export { RecordedSegments, type SegmentFault } from './export/recorded-segments.ts';
export { hexOf, isOfSome, parseSealedHead, provenRoot, type SealedHead } from './export/sealed-heads.ts';
export { SelectedRanges } from './export/selected-ranges.ts';
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
} from './export/verify-stream.ts';
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
} from './journal/journal-record.ts';
export {
  journalRecordOf,
  newestDecisionIds,
  type ReplayOrder,
  replayRequest,
  statesWithoutDecision,
} from './journal/journal-replay.ts';
export {
  type CheckpointBody,
  checkpointBodyText,
  type CheckpointNote,
  checkpointOrigin,
  parseCheckpointNote,
} from './notes/checkpoint-note.ts';
export {
  type KeyRotationBody,
  keyRotationBodyText,
  parseKeyRotationNote,
} from './notes/key-rotation-note.ts';
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
} from './notes/note-signature.ts';
export type { SignedNote } from './notes/signed-note.ts';
export type {
  ActionAnswer,
  ActionAnswersPort,
  ActionBeginning,
  BegunAction,
} from './ports/action-answers.port.ts';
export {
  type AppendBatch,
  type AppendRefusal,
  maximumBatchEntries,
  outcomeUnknown,
  type StoredSource,
} from './ports/append-batch.ts';
export {
  type CheckpointPort,
  maximumCheckpointSeconds,
  type SealContradiction,
} from './ports/checkpoint.port.ts';
export { encodeCursor, type EntryCursor, parseCursor } from './ports/cursor.ts';
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
} from './ports/fence.port.ts';
export {
  type DecisionQuery,
  type EntryPage,
  type EntryQuery,
  type EntryReading,
  type FollowingEntries,
  type LedgerPort,
  type ListedEntry,
  maximumEntriesPerRead,
  maximumPageLimit,
  maximumPagesPerRead,
  maximumPoliciesPerRead,
  type NamedPage,
} from './ports/ledger.port.ts';
export {
  type AccountedReplicas,
  type LastDecision,
  type PolicyState,
  recordDamaged,
  type RecordedConditions,
  type RecordedContest,
  type RecordedHpa,
  type RecordedRefusal,
  type RecordedStrategy,
  type UnsupportedHpa,
} from './ports/policy-state.ts';
export type { DeletedContent, ExpiryRule, FoundSegments, RetentionPort } from './ports/retention.port.ts';
export type { ShardLayout, ShardLayoutPort } from './ports/shard-layout.port.ts';
export type { StoredToken, TokenChanges, TokenStorePort } from './ports/token-store.port.ts';
export {
  type EarlierReplicas,
  loadEarlierReplicas,
  type LoweredPolicy,
  stepWindowSeconds,
} from './reading/earlier-replicas.ts';
export { forEachPage } from './reading/for-each-page.ts';
export type { OpenRun } from './runs/fold-decision.ts';
export {
  foldDecision,
  type FoldedDecision,
  type RunEnd,
  runEndOf,
  sealedRun,
  sealRun,
} from './runs/fold-decision.ts';
export {
  type FoldedHpaObservation,
  foldHpaObservation,
  sealHpaObservation,
  type SeenHpaStatus,
} from './runs/fold-hpa-observation.ts';
export { maximumRunSeconds } from './runs/run-length.ts';
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
