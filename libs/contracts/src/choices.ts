/** What may be said of a policy; several at a time. */
export const policyStates = [
  'AtMaximum',
  'Short',
  'Held',
  'Rejected',
  'Suspended',
  'Overridden',
  'Scheduled',
  'Frozen',
  'DryRun',
  'Observing',
  'Contested',
  'Conflict',
  'Overdue',
  'StaleSource',
  'Fallback',
  'Waiting',
  'Failing',
  'Disabled',
] as const;

/** What a decision does; the words of the decision contract. */
export const decisionActions = ['ScaleUp', 'ScaleDown', 'None', 'Hold'] as const;

/** What an intervention does. */
export const interventionKinds = ['Suspend', 'Override', 'DryRun'] as const;

/** What an entry is a record of: the kinds of the ledger. */
export const auditEntryKinds = [
  'Decision',
  'DecisionRun',
  'ScalingIntent',
  'ScalingEvent',
  'ScalingFailure',
  'ActuationIntent',
  'ActuationOutcome',
  'HpaObservation',
  'StrategyChange',
  'PolicyChange',
  'SyncRun',
  'CommitReview',
  'OperatorAction',
  'SettingsChange',
  'Checkpoint',
  'KeyRotation',
  'KeyLost',
  'LedgerGap',
  'RetentionRun',
] as const;
