import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type EntryKind, entryKinds, type EntryPayloads } from '#ledger';

/** The fields of a payload; the compiler wants all of them, and says which are optional. */
type FieldsOf<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? 'optional' : 'always';
};

const actuation = {
  policy: 'always',
  target: 'always',
  verb: 'always',
  specDigest: 'always',
  uid: 'always',
  resourceVersion: 'always',
  reason: 'always',
  differences: 'always',
  drift: 'always',
  departures: 'always',
  adoptedFrom: 'always',
  decision: 'always',
  commit: 'always',
} as const;

const fields: { readonly [K in EntryKind]: FieldsOf<EntryPayloads[K]> } = {
  Decision: {
    policy: 'always',
    commit: 'always',
    engineVersion: 'always',
    contractVersion: 'always',
    input: 'always',
    decision: 'always',
    departures: 'optional',
  },
  DecisionRun: {
    policy: 'always',
    first: 'always',
    last: 'always',
    count: 'always',
    action: 'always',
    desiredReplicas: 'always',
    reason: 'always',
    metrics: 'always',
  },
  ScalingIntent: {
    policy: 'always',
    target: 'always',
    from: 'always',
    to: 'always',
    reason: 'always',
    resourceVersion: 'always',
    decision: 'always',
    commit: 'always',
  },
  ScalingEvent: {
    policy: 'always',
    target: 'always',
    origin: 'always',
    manager: 'always',
    from: 'always',
    to: 'always',
    reason: 'always',
    intent: 'always',
    decision: 'always',
    commit: 'always',
    resourceVersion: 'optional',
    autoscaler: 'optional',
  },
  ScalingFailure: { policy: 'always', target: 'always', intent: 'always', code: 'always', message: 'always' },
  ActuationIntent: actuation,
  ActuationOutcome: {
    ...actuation,
    intent: 'always',
    result: 'always',
    resourceVersionAfter: 'always',
    dropped: 'always',
    code: 'always',
    message: 'always',
  },
  HpaObservation: {
    policy: 'always',
    uid: 'always',
    first: 'always',
    last: 'always',
    count: 'always',
    currentReplicas: 'always',
    desiredReplicas: 'always',
    conditions: 'always',
    metrics: 'always',
  },
  StrategyChange: { policy: 'always', field: 'always', before: 'always', after: 'always', commit: 'always' },
  PolicyChange: {
    policy: 'always',
    source: 'always',
    before: 'always',
    after: 'always',
    departure: 'always',
    commit: 'always',
    operator: 'optional',
  },
  SyncRun: {
    source: 'always',
    outcome: 'always',
    message: 'always',
    commit: 'always',
    diagnostics: 'always',
    pullRequest: 'optional',
  },
  CommitReview: { source: 'always', commit: 'always', pullRequest: 'always' },
  OperatorAction: {
    actor: 'always',
    action: 'always',
    outcome: 'always',
    reason: 'always',
    givenReason: 'optional',
    arguments: 'always',
    effect: 'optional',
  },
  SettingsChange: { before: 'always', after: 'always' },
  Checkpoint: { number: 'always', note: 'always' },
  KeyRotation: { number: 'always', note: 'always' },
  KeyLost: { number: 'always', key: 'always', actor: 'always', reason: 'always' },
  LedgerGap: { number: 'always', note: 'always', restored: 'always', backup: 'always' },
  RetentionRun: { rules: 'always', segments: 'always', deleted: 'always' },
};

const specs = join(import.meta.dirname, '..', '..', 'docs/spec');

it('describes every field of every kind of entry, and says which are optional', () => {
  const sections = readFileSync(join(specs, 'ledger-payloads.md'), 'utf8').split(/^### /m).slice(1);
  const described = sections.map((section) => {
    const rows = section.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
      const [, names = '', meaning = ''] = line.split('|').map((cell) => cell.trim());
      const word = meaning.startsWith('optional:') ? 'optional' : 'always';
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, word]);
    });
    return [/^`(\w+)`/.exec(section)?.[1], Object.fromEntries(rows)];
  });
  expect(described).toEqual(entryKinds.map((kind) => [kind, fields[kind]]));
});

it('names the kinds in the order of the code, where an export is described', () => {
  const spec = readFileSync(join(specs, 'ledger.md'), 'utf8');
  const sentence = /^The kinds are (.*)\.$/m.exec(spec)?.[1] ?? '';
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, kind]) => kind)).toEqual([...entryKinds]);
});
