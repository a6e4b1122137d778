import { describe, expect, it } from '@jest/globals';
import { anIntentDraft, timeAfter } from '../../../test/support/ledger-builders.ts';
import { type EntryOf, genesisHash } from './entry.ts';
import type { ScalingIntentPayload } from './payloads.ts';
import { type ObservedScale, resolveIntent } from './resolve-intent.ts';

const intent: EntryOf<'ScalingIntent'> = {
  stream: 'policy:shop/checkout',
  seq: 7n,
  cluster: 'test',
  kind: 'ScalingIntent',
  time: timeAfter(0),
  payload: anIntentDraft({ decision: 'policy:shop/checkout#6' }).payload as ScalingIntentPayload,
  previousHash: genesisHash,
  hash: genesisHash,
};

const scale = {
  found: true,
  specReplicas: 6,
  uid: 'uid-1',
  resourceVersion: '101',
  manager: 'kubectl',
} as const;

describe('resolveIntent', () => {
  it('takes the announced count for the write', () => {
    expect(resolveIntent(intent, scale, timeAfter(9))).toEqual({
      code: 'Applied',
      draft: {
        stream: intent.stream,
        kind: 'ScalingEvent',
        time: timeAfter(9),
        payload: {
          policy: intent.payload.policy,
          target: intent.payload.target,
          origin: 'Plimsoll',
          manager: null,
          from: 4,
          to: 6,
          reason: 'cpu above target',
          intent: 'policy:shop/checkout#7',
          decision: 'policy:shop/checkout#6',
          commit: intent.payload.commit,
        },
      },
    });
  });

  it('accounts for another count as somebody else’s, from the count before', () => {
    expect(resolveIntent(intent, { ...scale, specReplicas: 9 }, timeAfter(9))).toMatchObject({
      code: 'Overwritten',
      draft: {
        kind: 'ScalingEvent',
        payload: { origin: 'External', manager: 'kubectl', from: 4, to: 9, intent: 'policy:shop/checkout#7' },
      },
    });
  });

  const failures: readonly { name: string; given: ObservedScale; want: string; message: string }[] = [
    {
      name: 'the count before',
      given: { ...scale, specReplicas: 4 },
      want: 'NotApplied',
      message: 'the write was not made, or was undone since',
    },
    {
      name: 'an untouched scale',
      given: { ...scale, specReplicas: 4, resourceVersion: '100' },
      want: 'NotApplied',
      message: 'as it was before the write',
    },
    { name: 'no target', given: { found: false }, want: 'TargetGone', message: 'does not exist' },
    {
      name: 'a target made anew',
      given: { ...scale, uid: 'uid-2' },
      want: 'TargetReplaced',
      message: 'uid-2',
    },
  ];

  it.each(failures)('closes the intent without a change on $name', ({ given, want, message }) => {
    const outcome = resolveIntent(intent, given, timeAfter(9));
    expect(outcome).toMatchObject({
      code: want,
      draft: { kind: 'ScalingFailure', payload: { intent: 'policy:shop/checkout#7', code: want } },
    });
    expect(JSON.stringify(outcome.draft)).toContain(message);
  });

  it('does not mistake an unread uid for another', () => {
    expect(resolveIntent(intent, { ...scale, uid: null }, timeAfter(9)).code).toBe('Applied');
  });
});
