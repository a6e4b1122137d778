import type { AsJson } from '../as-json.ts';
import type {
  CheckpointPayload,
  KeyLostPayload,
  KeyRotationPayload,
  LedgerGapPayload,
  OperatorActionPayload,
  RetentionRunPayload,
  SettingsChangePayload,
} from './administration-payloads.ts';
import type { DecisionPayload, DecisionRunPayload } from './decision-payloads.ts';
import type {
  ActuationIntentPayload,
  ActuationOutcomePayload,
  HpaObservationPayload,
} from './hpa-payloads.ts';
import type {
  CommitReviewPayload,
  PolicyChangePayload,
  StrategyChangePayload,
  SyncRunPayload,
} from './policy-payloads.ts';
import type { ScalingEventPayload, ScalingFailurePayload, ScalingIntentPayload } from './scaling-payloads.ts';

/** The payload of each kind. */
export interface EntryPayloads {
  readonly Decision: AsJson<DecisionPayload>;
  readonly DecisionRun: AsJson<DecisionRunPayload>;
  readonly ScalingIntent: AsJson<ScalingIntentPayload>;
  readonly ScalingEvent: AsJson<ScalingEventPayload>;
  readonly ScalingFailure: AsJson<ScalingFailurePayload>;
  readonly ActuationIntent: AsJson<ActuationIntentPayload>;
  readonly ActuationOutcome: AsJson<ActuationOutcomePayload>;
  readonly HpaObservation: AsJson<HpaObservationPayload>;
  readonly StrategyChange: AsJson<StrategyChangePayload>;
  readonly PolicyChange: AsJson<PolicyChangePayload>;
  readonly SyncRun: AsJson<SyncRunPayload>;
  readonly CommitReview: AsJson<CommitReviewPayload>;
  readonly OperatorAction: AsJson<OperatorActionPayload>;
  readonly SettingsChange: AsJson<SettingsChangePayload>;
  readonly Checkpoint: AsJson<CheckpointPayload>;
  readonly KeyRotation: AsJson<KeyRotationPayload>;
  readonly KeyLost: AsJson<KeyLostPayload>;
  readonly LedgerGap: AsJson<LedgerGapPayload>;
  readonly RetentionRun: AsJson<RetentionRunPayload>;
}
