/** Every kind of entry; the glossary says what each is a record of. */
export const entryKinds = [
  'Decision',
  'DecisionRun',
  'ScalingIntent',
  'ScalingEvent',
  'ScalingFailure',
  'StrategyChange',
  'PolicyChange',
  'SyncRun',
  'OperatorAction',
  'SettingsChange',
  'Checkpoint',
] as const;

/** What an entry is a record of. */
export type EntryKind = (typeof entryKinds)[number];

const known: ReadonlySet<string> = new Set(entryKinds);

/** Whether a text names a kind of entry. */
export function isEntryKind(text: string): text is EntryKind {
  return known.has(text);
}
