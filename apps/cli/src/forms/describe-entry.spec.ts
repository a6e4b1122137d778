import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '#contracts';
import { printableTexts } from '../printable.ts';
import { describeEntry, policyOfEntry } from './describe-entry.ts';

const policy = { namespace: 'shop', name: 'checkout' };
const commit = {
  hash: '0123456789abcdef',
  author: 'Ann',
  subject: 'Allow ten',
  time: '2026-11-22T05:00:00Z',
};
const operator = { actor: 'ann', outcome: 'Accepted', reason: 'a sale' };

interface Row {
  readonly kind: string;
  readonly payload: AuditEntry['payload'];
  readonly end?: AuditEntry['end'];
  readonly want: string | null;
}

describe('an entry of the ledger, in a line', () => {
  it.each<Row>([
    {
      kind: 'a decision',
      payload: {
        decision: { currentReplicas: 4, desiredReplicas: 6, action: 'ScaleUp', reason: 'Above' },
        commit,
      },
      want: '4 → 6: ScaleUp: Above',
    },
    {
      kind: 'a decision of an unknown count',
      payload: { decision: { currentReplicas: null, desiredReplicas: null, action: 'None', reason: 'Away' } },
      want: 'None: Away',
    },
    {
      kind: 'a run of decisions',
      payload: { desiredReplicas: 6, action: 'None', reason: 'Within' },
      want: '6 replicas: None: Within',
    },
    {
      kind: 'an action that was refused, with why it was asked for',
      payload: {
        action: 'OverrideReplicas',
        arguments: { policy: 'shop/checkout', replicas: 3 },
        outcome: 'Refused',
        reason: '3 is below the minimum',
        givenReason: 'cost',
      },
      want: 'OverrideReplicas (replicas 3): Refused: 3 is below the minimum: asked for with the reason "cost"',
    },
    {
      kind: 'an action that was forced, with what it was forced against',
      payload: {
        action: 'OverrideReplicas',
        arguments: { policy: 'shop/checkout', replicas: 30 },
        outcome: 'Forced',
        reason: 'a sale',
        effect: { summary: '', against: ['guardrail bounds, rule few: 9 are enough'] },
      },
      want: 'OverrideReplicas (replicas 30): Forced: a sale: against guardrail bounds, rule few: 9 are enough',
    },
    {
      kind: 'a suspension that was ended before it expired',
      payload: {
        action: 'SuspendScaling',
        arguments: { policy: 'shop/checkout', direction: 'Down', expires: '2026-11-22T08:00:00Z' },
        outcome: 'Accepted',
        reason: 'a sale',
      },
      end: { time: '2026-11-22T06:00:00Z', actor: 'bo', reason: null },
      want: 'SuspendScaling (direction Down, expires 2026-11-22T08:00:00Z): Accepted: a sale: ended at 2026-11-22T06:00:00Z by bo',
    },
    {
      kind: 'a suspension that expired',
      payload: {
        action: 'SuspendScaling',
        arguments: { policy: 'shop/checkout', direction: 'Down', expires: '2026-11-22T08:00:00Z' },
        outcome: 'Accepted',
        reason: 'a sale',
      },
      end: { time: '2026-11-22T08:00:00Z', actor: 'plimsoll', reason: null },
      want: 'SuspendScaling (direction Down, expires 2026-11-22T08:00:00Z): Accepted: a sale',
    },
    {
      kind: 'the end of a suspension before it expired',
      payload: {
        ...{ actor: 'bo', action: 'EndSuspension', outcome: 'Accepted', reason: 'over' },
        arguments: { policy: 'shop/checkout', direction: 'Down', expires: '2026-11-22T08:00:00Z' },
      },
      want: 'EndSuspension (direction Down, would have expired 2026-11-22T08:00:00Z): Accepted: over',
    },
    {
      kind: 'the end of a suspension that expired',
      payload: {
        ...{ actor: 'plimsoll', action: 'EndSuspension', outcome: 'Accepted', reason: 'a sale' },
        arguments: { policy: 'shop/checkout', direction: 'Down', expires: '2026-11-22T08:00:00Z' },
      },
      want: 'EndSuspension (direction Down, expired 2026-11-22T08:00:00Z): Accepted: a sale',
    },
    {
      kind: 'a policy that was resumed',
      payload: {
        ...operator,
        action: 'ResumeSource',
        arguments: { source: 'policies', policy: 'shop/checkout' },
      },
      want: 'resume policy shop/checkout (source policies): Accepted: a sale',
    },
    {
      kind: 'a source that was resumed',
      payload: { ...operator, action: 'ResumeSource', arguments: { source: 'policies', policy: null } },
      want: 'ResumeSource (source policies): Accepted: a sale',
    },
    { kind: 'a scaling event', payload: { from: 4, to: 6, reason: 'Above' }, want: '4 → 6: Above' },
    {
      kind: 'a new policy',
      payload: { before: null, after: { kind: 'X' }, departure: null, commit },
      want: 'new: 0123456789ab Allow ten',
    },
    {
      kind: 'a changed policy',
      payload: { before: { kind: 'X' }, after: { kind: 'X' }, departure: null, commit },
      want: 'changed: 0123456789ab Allow ten',
    },
    {
      kind: 'a policy with other values',
      payload: {
        before: { spec: { minReplicas: 4, maxReplicas: 10, metrics: ['cpu'] } },
        after: { spec: { minReplicas: 4, maxReplicas: 12, metrics: ['cpu'], interval: '5s' } },
        departure: null,
        commit,
      },
      want: 'spec.maxReplicas 10 → 12, spec.interval none → 5s: 0123456789ab Allow ten',
    },
    {
      kind: 'a change of the settings',
      payload: {
        before: { mode: 'Act', namespaces: ['shop'], a: 1, b: 1, c: { d: 'x'.repeat(80) } },
        after: { mode: 'Observe', namespaces: ['shop'], a: 2, b: 2, c: { d: 'y' } },
      },
      want: 'mode Act → Observe, a 1 → 2, b 1 → 2, 1 more',
    },
    {
      kind: 'a policy that left',
      payload: { before: { kind: 'X' }, after: null, departure: 'Pruned', commit },
      want: 'Pruned: 0123456789ab Allow ten',
    },
    {
      kind: 'a policy that an operator released',
      payload: {
        ...{ before: { kind: 'X' }, after: null, departure: 'Released', commit },
        operator: { action: 'ReleasePolicy', by: 'olga', reason: 'leaves' },
      },
      want: 'Released: ReleasePolicy by olga: leaves',
    },
    {
      kind: 'the first strategy of a policy',
      payload: { field: 'selectionStrategy', before: null, after: 'LabelSelector', commit },
      want: 'selectionStrategy LabelSelector: 0123456789ab Allow ten',
    },
    {
      kind: 'a change of strategy',
      payload: { field: 'actuation', before: 'Scale', after: 'HorizontalPodAutoscaler', commit },
      want: 'actuation Scale → HorizontalPodAutoscaler: 0123456789ab Allow ten',
    },
    {
      kind: 'a checkpoint',
      payload: { number: '20', note: 'plimsoll/demo/1\ncheckpoint 20\nstreams 9\nentries 505\nroot 4e\n' },
      want: 'checkpoint 20 covers 505 entries',
    },
    {
      kind: 'an action, and what it was given',
      payload: {
        ...operator,
        action: 'OverrideReplicas',
        arguments: { policy: 'shop/checkout', minReplicas: 5 },
      },
      want: 'OverrideReplicas (minReplicas 5): Accepted: a sale',
    },
    { kind: 'a sync', payload: { outcome: 'active', message: '1 left', commit }, want: 'active: 1 left' },
    {
      kind: 'a key that was changed',
      payload: { number: '9', note: 'plimsoll/demo/1\nkey-rotation 9\nprevious 4e\nkey AA=\n' },
      want: 'another key signs from checkpoint 9 on',
    },
    {
      kind: 'a key that was lost',
      payload: { number: '9', key: 'AA=', actor: 'ann', reason: 'a disk died' },
      want: 'the key is lost, and another one signs from checkpoint 9 on: a disk died',
    },
    {
      kind: 'what a restore has lost',
      payload: { number: '9', note: 'plimsoll/demo/1\n', restored: '7', backup: '2026-11-22T05:00:00Z' },
      want: 'the backup of 2026-11-22T05:00:00Z ends with checkpoint 7; those up to 9 are lost',
    },
    {
      kind: 'what retention is about to delete of entries',
      payload: { rules: [], segments: [], deleted: null },
      want: 'to be deleted: payloads and observations that have expired',
    },
    {
      kind: 'entries that retention is about to delete',
      payload: { rules: [], segments: [{ stream: 'admin', last: '2', hash: '4e' }], deleted: null },
      want: 'to be deleted: entries of 1 stream that have expired',
    },
    {
      kind: 'what retention has deleted',
      payload: { rules: [], segments: [], deleted: { payloads: 86, observations: 67, entries: 83 } },
      want: 'deleted: 83 entries, 86 payloads, 67 observations',
    },
    {
      kind: 'what a forge says of a commit',
      payload: {
        commit,
        pullRequest: { number: 12, author: 'ann', approvers: ['cleo', 'dan'], verified: true },
      },
      want: '0123456789ab Allow ten: pull request #12 by ann, approved by cleo, dan, as the forge says',
    },
    {
      kind: 'a commit that no pull request brought',
      payload: { commit, pullRequest: { number: null, author: null, approvers: [], verified: true } },
      want: '0123456789ab Allow ten: pull request none, as the forge says',
    },
    { kind: 'what has no words', payload: { note: [1] }, want: null },
  ])('says $want of $kind, also on one line, as a terminal is shown it', ({ payload, end = null, want }) => {
    const entry = { payload, end };
    expect(describeEntry(entry)).toBe(want);
    expect(describeEntry(printableTexts(entry))).toBe(want);
  });

  it('names the policy that an operator acted on', () => {
    expect(policyOfEntry({ policy, payload: {} })).toBe('shop/checkout');
    expect(policyOfEntry({ policy: null, payload: { arguments: { policy: 'shop/cart' } } })).toBe(
      'shop/cart',
    );
    expect(policyOfEntry({ policy: null, payload: { arguments: { source: 'policies' } } })).toBeNull();
  });
});
