import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type EntryKind, entryKinds, type EntryPayloads } from '#ledger';

/** Which members of each kind's payload name who acted; the compiler holds them against the payloads. */
const actors = {
  Decision: ['commit'],
  DecisionRun: [],
  ScalingIntent: ['commit'],
  ScalingEvent: ['commit', 'manager'],
  ScalingFailure: [],
  ActuationIntent: ['commit', 'drift', 'adoptedFrom'],
  ActuationOutcome: ['commit', 'drift', 'adoptedFrom'],
  HpaObservation: [],
  StrategyChange: ['commit', 'before', 'after'],
  PolicyChange: ['commit'],
  SyncRun: ['commit', 'pullRequest'],
  CommitReview: ['commit', 'pullRequest'],
  OperatorAction: ['actor'],
  SettingsChange: [],
  Checkpoint: [],
  KeyRotation: [],
  KeyLost: ['actor'],
  LedgerGap: [],
  RetentionRun: [],
} satisfies { readonly [K in EntryKind]: readonly (keyof EntryPayloads[K] & string)[] };

it('says for every kind of entry who is named as the one that acted', () => {
  const spec = readFileSync(join(import.meta.dirname, '..', '..', 'docs/spec/ledger.md'), 'utf8');
  const section = spec.slice(spec.indexOf('## Who did it'), spec.indexOf('## Verifying a stream'));
  const rows = section.split('\n').flatMap((line) => {
    const [, kind, ...cells] = line.split('|').map((cell) => cell.trim());
    if (kind === undefined || !kind.startsWith('`')) return [];
    const names = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]));
    return [[kind.replaceAll('`', ''), names] as const];
  });
  expect(rows).toEqual(entryKinds.map((kind) => [kind, [...actors[kind]]]));
});
