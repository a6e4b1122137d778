import { describe, expect, it } from '@jest/globals';
import type { TimelineEntryFragment } from './audit.generated.ts';
import { entrySummary } from './entry-summary.ts';

const frame = {
  id: 'policy:shop/a#1',
  time: '2026-11-22T03:12:00Z',
  hash: 'aa',
  policy: { namespace: 'shop', name: 'a' },
};

describe('the line of an entry', () => {
  it.each<{ readonly name: string; readonly given: TimelineEntryFragment; readonly want: string }>([
    {
      name: 'a scaling event',
      given: {
        ...frame,
        __typename: 'ScalingEvent',
        kind: 'ScalingEvent',
        from: 4,
        to: 6,
        origin: 'Plimsoll',
        manager: null,
        decisionId: null,
        scalingReason: 'cpu 83 %',
      },
      want: '4 → 6 by Plimsoll: cpu 83 %',
    },
    {
      name: 'a decision without counts',
      given: {
        ...frame,
        __typename: 'Decision',
        kind: 'Decision',
        decided: 'Hold',
        currentReplicas: null,
        desiredReplicas: null,
        decisionReason: 'FailedGetScale',
      },
      want: 'keeps the count: FailedGetScale',
    },
    {
      name: 'an action without a reason',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        actor: 'demo',
        operatorAction: 'syncNow',
        outcome: 'Refused',
        operatorReason: null,
        givenReason: null,
        end: null,
        operatorArguments: { policy: 'shop/a' },
      },
      want: 'demo asked for syncNow · refused',
    },
    {
      name: 'an action on all policies of a namespace',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        policy: null,
        actor: 'demo',
        operatorAction: 'SuspendScaling',
        outcome: 'Accepted',
        operatorReason: 'a sale',
        givenReason: null,
        end: null,
        operatorArguments: {
          scope: 'Namespace',
          namespace: 'shop',
          direction: 'Down',
          expires: '2026-11-22T05:12:00Z',
        },
      },
      want: 'demo asked for a suspension · accepted · namespace shop · down: nothing shrinks · until Sun 22 Nov 05:12:00 UTC: a sale',
    },
    {
      name: 'a suspension that was ended before it expired',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        actor: 'demo',
        operatorAction: 'SuspendScaling',
        outcome: 'Accepted',
        operatorReason: 'a sale',
        givenReason: null,
        end: { time: '2026-11-22T04:50:00Z', actor: 'bo' },
        operatorArguments: { policy: 'shop/a', direction: 'Both', expires: '2026-11-22T05:12:00Z' },
      },
      want: 'demo asked for a suspension · accepted · both directions · ended Sun 22 Nov 04:50:00 UTC by bo, before it expired at Sun 22 Nov 05:12:00 UTC: a sale',
    },
    {
      name: 'a policy that was resumed',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        actor: 'demo',
        operatorAction: 'ResumeSource',
        outcome: 'Accepted',
        operatorReason: 'over',
        givenReason: null,
        end: null,
        operatorArguments: { source: 'policies', policy: 'shop/a' },
      },
      want: 'demo asked for what Git says of the policy to be followed again · accepted: over',
    },
    {
      name: 'a suspension that expired',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        actor: 'demo',
        operatorAction: 'SuspendScaling',
        outcome: 'Accepted',
        operatorReason: 'a sale',
        givenReason: null,
        end: { time: '2026-11-22T05:12:00Z', actor: 'plimsoll' },
        operatorArguments: { policy: 'shop/a', direction: 'Both', expires: '2026-11-22T05:12:00Z' },
      },
      want: 'demo asked for a suspension · accepted · both directions · until Sun 22 Nov 05:12:00 UTC: a sale',
    },
    {
      name: 'an override that was refused, with its bounds and both reasons',
      given: {
        ...frame,
        __typename: 'OperatorAction',
        kind: 'OperatorAction',
        actor: 'demo',
        operatorAction: 'OverrideReplicas',
        outcome: 'Refused',
        operatorReason: 'no such policy',
        givenReason: 'a sale',
        end: null,
        operatorArguments: { policy: 'shop/a', minReplicas: 4, maxReplicas: 9 },
      },
      want: 'demo asked for an override · refused · at least 4, at most 9: no such policy · asked for with the reason a sale',
    },
    {
      name: 'settings that changed',
      given: {
        ...frame,
        __typename: 'SettingsChange',
        kind: 'SettingsChange',
        settingsBefore: { mode: 'Observe', settings: { tolerance: 0.1 }, a: 1, b: 1 },
        settingsAfter: { mode: 'Act', settings: { tolerance: 0.2 }, b: 2, c: [1] },
      },
      want: 'mode: Observe → Act, settings.tolerance: 0.1 → 0.2, a: 1 → none, 2 more',
    },
    {
      name: 'the first settings',
      given: {
        ...frame,
        __typename: 'SettingsChange',
        kind: 'SettingsChange',
        settingsBefore: null,
        settingsAfter: { mode: 'Act' },
      },
      want: 'the settings that hold from here on',
    },
    {
      name: 'a kind that says no more',
      given: { ...frame, __typename: 'Checkpoint', kind: 'Checkpoint' },
      want: 'the ledger was sealed',
    },
    {
      name: 'a commit whose subject turns what follows it',
      given: {
        ...frame,
        __typename: 'PolicyChange',
        kind: 'PolicyChange',
        source: 'policies',
        commit: { hash: 'abcdef0123', subject: 'Grow \u202eit', author: 'Robin' },
        changeOperator: null,
      },
      want: 'policies abcdef0 \u2068Grow \u202eit\u2069 (Robin)',
    },
    {
      name: 'a change by an operator, whom nobody takes for the author of the commit',
      given: {
        ...frame,
        __typename: 'PolicyChange',
        kind: 'PolicyChange',
        source: 'policies',
        commit: { hash: 'abcdef0123', subject: 'Grow it', author: 'Robin' },
        changeOperator: { action: 'RollBackSource', by: 'olga', reason: 'incident 7' },
      },
      want: 'policies rolled back by olga: incident 7',
    },
  ])('$name', ({ given, want }) => {
    expect(entrySummary(given, 'utc')).toBe(want);
  });
});
