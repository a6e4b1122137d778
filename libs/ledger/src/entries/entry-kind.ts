/** Every kind of entry; the glossary says what each is a record of. */
export const entryKinds = [
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

/** What an entry is a record of. */
export type EntryKind = (typeof entryKinds)[number];

/** The kinds that are passed on to subscribers while they are recorded. */
export const liveKinds = [
  'Decision',
  'ScalingEvent',
  'SyncRun',
  'OperatorAction',
] as const satisfies readonly EntryKind[];

/** A kind that subscribers hear of. */
export type LiveKind = (typeof liveKinds)[number];

const known: ReadonlySet<string> = new Set(entryKinds);

/** Whether a text names a kind of entry. */
export function isEntryKind(text: string): text is EntryKind {
  return known.has(text);
}

/** Whether an entry of this kind announces a write, and waits for its outcome. */
export function isIntent(kind: EntryKind): kind is 'ScalingIntent' | 'ActuationIntent' {
  return kind === 'ScalingIntent' || kind === 'ActuationIntent';
}

/** Whether an entry of this kind may name the intent that it is the outcome of. */
export function mayResolveIntent(kind: EntryKind): boolean {
  return kind === 'ScalingEvent' || kind === 'ScalingFailure' || kind === 'ActuationOutcome';
}
