import type { EntryKind } from '../api/schema.generated.ts';

/** The texts of the audit page. */
export const audit = {
  title: 'Audit',
  timeline: 'Timeline',
  filters: 'Filters',
  kind: 'Kind',
  everyKind: 'every kind',
  namespace: 'Namespace',
  actor: 'Actor',
  from: 'From (UTC)',
  until: 'Until (UTC)',
  apply: 'Show',
  clear: 'Clear',
  older: 'Show older',
  empty: 'No entry matches. The ledger keeps everything: widen the filters.',
  columns: { time: 'Time', kind: 'Kind', policy: 'Policy', what: 'What happened' },
  seal: 'The ledger’s seal',
  noSeal: 'No checkpoint was signed yet: the first follows within a minute of the first entry.',
  failing: 'Signing fails since',
  sealed: (number: string, entries: string, streams: string) =>
    `Checkpoint ${number} covers ${entries} entries in ${streams} streams`,
  noSinks:
    'It is kept beside the database only. Configure a sink outside of it, so that no one person can rewrite both.',
  sinkWorks: 'delivered',
  sinkWaits: (count: number) => `${count} waiting`,
  sinkFails: 'failing since',
  verify: 'Verify it yourself, without this server:',
  verifyCommand: 'plimsoll audit export --server URL --output export && plimsoll audit verify export',
} as const;

/** Kinds as the filter offers them: what people look for first. */
export const entryKinds: readonly EntryKind[] = [
  'ScalingEvent',
  'OperatorAction',
  'PolicyChange',
  'StrategyChange',
  'SyncRun',
  'CommitReview',
  'Decision',
  'DecisionRun',
  'ScalingIntent',
  'ScalingFailure',
  'ActuationIntent',
  'ActuationOutcome',
  'HpaObservation',
  'SettingsChange',
  'Checkpoint',
  'KeyRotation',
  'KeyLost',
  'LedgerGap',
  'RetentionRun',
];
