import type { EntryKind } from '../schema.generated.ts';
import { counted, countText, digitsText } from './count-text.ts';
import { filtersText } from './filters-text.ts';

/** The texts of the audit page. */
export const audit = {
  title: 'Audit',
  timeline: 'Timeline',
  filters: 'Filters',
  folded: filtersText,
  kind: 'Kind',
  everyKind: 'every kind',
  namespace: 'Namespace',
  actor: 'Actor',
  policy: 'Policy',
  policyExample: 'shop/checkout',
  commit: 'Commit',
  commitExample: 'the whole hash',
  from: 'From',
  until: 'Until',
  apply: 'Show',
  clear: 'Clear',
  older: 'Show older',
  newest: 'Back to the newest',
  empty: 'No entry matches. The ledger keeps everything: widen the filters.',
  columns: { time: 'Time', kind: 'Kind', policy: 'Policy', what: 'What happened' },
  /** Of entries of which the timeline asks for no more than their kind. */
  otherKinds: {
    ActuationIntent: 'a write of an HPA was about to be sent',
    ActuationOutcome: 'what came of a write of an HPA',
    Checkpoint: 'the ledger was sealed',
    CommitReview: 'what the forge says of a commit',
    DecisionRun: 'the decision before it was repeated for as long as nothing changed',
    HpaObservation: 'what the status of an HPA said',
    KeyLost: 'the key that checkpoints were signed with is lost',
    KeyRotation: 'checkpoints are signed with another key from here on',
    LedgerGap: 'checkpoints after the restored backup are lost',
    RetentionRun: 'what has expired was deleted',
    ScalingFailure: 'a write of the count failed',
    ScalingIntent: 'a write of the count was about to be sent',
  } as Readonly<Partial<Record<EntryKind, string>>>,
  /** Of what was refused. */
  givenReason: (reason: string) => `asked for with the reason ${reason}`,
  endedEarly: (time: string, actor: string, expiry: string) =>
    `ended ${time} by ${actor}, before it expired at ${expiry}`,
  firstSettings: 'the settings that hold from here on',
  moreSettings: (count: number) => `${countText(count)} more`,
  noSetting: 'none',
  toSeal: 'Seal and verification',
  seal: 'The ledger’s seal',
  hiddenSeal: 'Its checkpoints are shown to those who may view every namespace.',
  noSeal: 'No checkpoint was signed yet: the first follows within a minute of the first entry.',
  failing: 'Signing fails since',
  /** Counts of any size, as the API has them. */
  sealed: (number: string, entries: string, streams: string) =>
    `Checkpoint ${digitsText(number)} covers ${counted(digitsText(entries), 'entry', 'entries')} in ${counted(digitsText(streams), 'stream')}`,
  noSinks:
    'It is kept beside the database only. Configure a sink outside of it, so that no one person can rewrite both.',
  sinkTook: 'took its last one',
  sinkNothing: 'took none since the controller started',
  key: 'Signed with the key of the fingerprint',
  keyHint: 'Compare it with what this prints of the public key that you keep:',
  keyCommand: 'openssl pkey -pubin -in checkpoint-key.pub -outform DER | sha256sum',
  sinkWaits: (count: number) => `${countText(count)} waiting`,
  sinkFails: 'failing since',
  sinkDropped: (count: number) =>
    count === 1 ? '1 checkpoint never reached it.' : `${countText(count)} checkpoints never reached it.`,
  sinkDroppedText:
    'They were dropped, oldest first, because too many waited. Later ones cover the same entries.',
  verify: 'Verify it yourself, without this server:',
  verifyCommand: 'plimsoll audit export --server URL --output export && plimsoll audit verify export',
  run: {
    contents: 'Contents',
    options: 'Whose key, and how much of it',
    verified: '✓ Verified',
    scopes: { all: 'of every entry', day: 'of the last day; before it by their hashes' },
    ownKey: 'Public key that you keep (PEM)',
    ownKeyHint: 'Without it, the signature is held against the key that this server names.',
    badKey: 'This is no public key of Ed25519 in PEM.',
    start: 'Verify it here',
    cancel: 'Cancel',
    cancelled: 'Cancelled: nothing is said of the ledger.',
    recorded: 'It reads the whole ledger, which is recorded as an export.',
    progress: (entries: string, expected: string) => `${entries} of ${expected} entries`,
    sound: (entries: string, streams: string) =>
      `Every entry follows from the one before it: ${counted(entries, 'entry', 'entries')} in ${counted(streams, 'stream')}.`,
    proven: (number: string) =>
      `Proven: checkpoint ${digitsText(number)} is signed with the key that you keep.`,
    signed: (number: string) =>
      `Checkpoint ${digitsText(number)} is signed with the key that this server names.`,
    unsigned: (number: string) =>
      `Checkpoint ${digitsText(number)} is there; no key is known to hold it against.`,
    noCheckpoint: 'There is no checkpoint: none of it is sealed.',
    unsealed: (entries: string) =>
      entries === '1'
        ? 'The last entry is not sealed yet.'
        : `The last ${entries} entries are not sealed yet.`,
    headers: (entries: string) =>
      `Of ${counted(entries, 'entry', 'entries')} the contents were left out, and verified by hash.`,
    expired: (entries: string) =>
      entries === '1'
        ? '1 entry has expired, as the ledger says.'
        : `${entries} entries have expired, as the ledger says.`,
    broken: 'The ledger does not verify',
    refused: 'The ledger could not be verified',
    brokenAt: 'First at',
    unreachable: 'The controller does not answer, or the answer was cut off.',
  },
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
