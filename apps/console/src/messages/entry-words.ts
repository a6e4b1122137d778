import type { EntryKind } from '../schema.generated.ts';

/** What an entry of the ledger is, in a word or two: on the timeline, in its filter, above its page. */
export const entryKindWords: Readonly<Record<EntryKind, string>> = {
  Decision: 'decision',
  DecisionRun: 'same decision',
  ScalingIntent: 'count to write',
  ScalingEvent: 'count changed',
  ScalingFailure: 'write failed',
  ActuationIntent: 'HPA to write',
  ActuationOutcome: 'HPA written',
  HpaObservation: 'HPA status',
  StrategyChange: 'strategy changed',
  PolicyChange: 'policy changed',
  SyncRun: 'sync',
  CommitReview: 'review',
  OperatorAction: 'action',
  SettingsChange: 'settings changed',
  Checkpoint: 'checkpoint',
  KeyRotation: 'key changed',
  KeyLost: 'key lost',
  LedgerGap: 'gap',
  RetentionRun: 'retention',
};

/** What somebody asked for, by the action's name in the ledger; what is of another release keeps its name. */
const actionWords: Readonly<Record<string, string>> = {
  SyncSource: 'a sync',
  ApproveHold: 'an approval',
  RejectHold: 'a rejection',
  ReleasePolicy: 'a release',
  ReleaseAll: 'the release of everything',
  ChangeShardCount: 'another count of shards',
  RollBackSource: 'a rollback',
  ResumeSource: 'what Git says to be followed again',
  SuspendScaling: 'a suspension',
  EndSuspension: 'the end of a suspension',
  OverrideReplicas: 'an override',
  EndOverride: 'the end of an override',
  StartDryRun: 'a dry run',
  EndDryRun: 'the end of a dry run',
  EndIntervention: 'the end of an intervention',
  CreateToken: 'a token',
  RevokeToken: 'the end of a token',
  MakeReport: 'a report',
  ReadReport: 'the text of a report',
  ExportLedger: 'an export of the ledger',
  Authenticate: 'access',
};

const resumedPolicy = 'what Git says of the policy to be followed again';

/** Who changed what is in force in place of a commit, by the action's name in the ledger. */
const changeWords: Readonly<Record<string, string>> = {
  RollBackSource: 'rolled back',
  ReleasePolicy: 'released',
  ResumeSource: 'taken back',
  ApproveHold: 'approved',
};

/** `rolled back by olga`. */
export function changedByText(action: string, by: string): string {
  return `${changeWords[action] ?? action} by ${by}`;
}

const outcomeWords: Readonly<Record<string, string>> = {
  Accepted: 'accepted',
  Forced: 'forced',
  Refused: 'refused',
};

/** What the fields of an entry say in one word of the API, by the field. */
const factWords = {
  verb: { Create: 'made', Update: 'changed', Delete: 'deleted', Adopt: 'taken over' },
  result: { Applied: 'done', Failed: 'failed' },
  departure: {
    Pruned: 'its document was deleted',
    Kept: 'its document was deleted; HPA and count stay',
    Released: 'an approver released it',
    RolledBack: 'a rollback to before it',
    SourceRemoved: 'its source left the settings',
  },
  direction: { Both: 'both directions', Up: 'up', Down: 'down' },
  scope: {
    Policy: 'one policy',
    Namespace: 'a namespace',
    Source: 'a source',
    MetricSource: 'a source of metrics',
    Cluster: 'everything',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A field whose words are told in others. */
export type WordedFact = keyof typeof factWords;

export function isWordedFact(name: string): name is WordedFact {
  return Object.hasOwn(factWords, name);
}

/** What a field says, in words; what is of another release keeps its word. */
export function factText(fact: WordedFact, word: string): string {
  const words: Readonly<Record<string, string>> = factWords[fact];
  return words[word] ?? word;
}

/** `demo asked for a suspension` */
export function askedText(actor: string, action: string, given: unknown): string {
  return `${actor} asked for ${actionText(action, given)}`;
}

/** What was asked for, in words; of a policy that is resumed the ledger has the name that it has of a source. */
export function actionText(action: string, given: unknown): string {
  const { policy = null } = (given ?? {}) as { readonly policy?: unknown };
  if (action === 'ResumeSource' && policy !== null) return resumedPolicy;
  return actionWords[action] ?? action;
}

/** What an action came to, in words. */
export function outcomeText(outcome: string): string {
  return outcomeWords[outcome] ?? outcome;
}
