import { describe, expect, it } from '@jest/globals';
import type { RecordedHpa } from '#ledger';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { digestOf, managedPartOf, specDigestOf } from './managed-part.ts';
import { type ActuationInput, planActuation } from './plan-actuation.ts';
import { renderHpa } from './render-hpa.ts';

const time = '2026-11-20T12:00:00Z';
const policy = aPolicy({ actuation: 'HorizontalPodAutoscaler' });
const rendered = renderHpa(policy, 'uid-of-target', { time, windows: [], interventions: [] });
const digest = digestOf(managedPartOf(rendered));
const foreign = aNativeAutoscaler();
const own = aNativeAutoscaler({
  policy: 'shop/checkout',
  isWrittenByPlimsoll: true,
  manager: 'plimsoll',
  ownerUid: 'uid-of-target',
  digest,
});
const recorded: RecordedHpa = {
  uid: own.uid,
  targetUid: 'uid-of-target',
  rendered: digest,
  answered: digest,
  unsupported: null,
  observation: null,
};
const adopting = (adopt: string) => ({ ...policy, annotations: { 'plimsoll.dev/adopt': adopt } });

function planned(changes: Partial<ActuationInput>): string {
  const plan = planActuation({
    policy,
    mayWrite: true,
    rendered,
    autoscalers: [],
    recorded: null,
    serverVersion: 'v1.36.3',
    time,
    isTimeInDoubt: false,
    ...changes,
  });
  return plan.kind === 'Write' ? plan.write.verb : plan.kind;
}

describe('planActuation', () => {
  const refusal = { message: 'no', serverVersion: 'v1.36.3', refusedAt: '2026-11-20T11:55:00Z' };
  const refused = { ...recorded, uid: null, answered: null, unsupported: refusal };
  const dropped = { ...recorded, answered: 'kept', unsupported: { ...refusal, refusedAt: null } };
  const changed = (changedAt: string) => ({
    ...dropped,
    unsupported: { ...dropped.unsupported, changedAt },
  });

  it.each<{ readonly name: string; readonly given: Partial<ActuationInput>; readonly want: string }>([
    { name: 'creates one where there is none', given: {}, want: 'Create' },
    { name: 'writes nothing in a dry run', given: { mayWrite: false }, want: 'NotWritten' },
    { name: 'leaves its own as rendered alone', given: { autoscalers: [own] }, want: 'InSync' },
    {
      name: 'updates its own that differs',
      given: { autoscalers: [{ ...own, digest: 'other' }] },
      want: 'Update',
    },
    {
      name: 'does nothing to one that is being deleted',
      given: { autoscalers: [{ ...own, terminatingSince: '2026-11-20T11:59:00Z' }] },
      want: 'Leaving',
    },
    {
      name: 'deletes its own of a target that is gone',
      given: { autoscalers: [{ ...own, ownerUid: 'uid-of-another' }] },
      want: 'Delete',
    },
    {
      name: 'gives its own without an owner its owner back',
      given: { autoscalers: [{ ...own, ownerUid: null, digest: 'other' }] },
      want: 'Update',
    },
    { name: 'leaves one of another manager alone', given: { autoscalers: [foreign] }, want: 'Conflict' },
    {
      name: 'does not take over what differs',
      given: { autoscalers: [foreign], policy: adopting('IfEqual') },
      want: 'Unequal',
    },
    {
      name: 'takes over what is equal',
      given: {
        autoscalers: [{ ...foreign, specDigest: specDigestOf(rendered.spec) }],
        policy: adopting('IfEqual'),
      },
      want: 'Adopt',
    },
    {
      name: 'takes over what differs where that is said',
      given: { autoscalers: [foreign], policy: adopting('Always') },
      want: 'Adopt',
    },
    {
      name: 'does not take one of its annotation for its own without its field manager',
      given: { autoscalers: [{ ...own, isWrittenByPlimsoll: false }] },
      want: 'Conflict',
    },
    {
      name: 'does not take one of another policy for its own',
      given: { autoscalers: [{ ...own, policy: 'shop/web' }] },
      want: 'Conflict',
    },
    {
      name: 'writes nothing beside another HPA on the target, its own included',
      given: { autoscalers: [own, { ...foreign, name: 'web' }] },
      want: 'Conflict',
    },
    {
      name: 'deletes its own where the policy is disabled',
      given: { policy: { ...policy, enabled: false }, autoscalers: [own, { ...foreign, name: 'web' }] },
      want: 'Delete',
    },
    {
      name: 'deletes its own where the scale is written',
      given: { policy: { ...policy, actuation: 'Scale' }, autoscalers: [own] },
      want: 'Delete',
    },
    {
      name: 'leaves one of another to a policy that writes the scale',
      given: { policy: { ...policy, actuation: 'Scale' }, autoscalers: [foreign] },
      want: 'NoHpa',
    },
    { name: 'knows nothing where the HPAs are not known', given: { autoscalers: null }, want: 'NotSeen' },
    { name: 'renders nothing without a target', given: { rendered: null }, want: 'NotSeen' },
    { name: 'does not repeat what was refused', given: { recorded: refused }, want: 'NotSupported' },
    {
      name: 'repeats it after ten minutes',
      given: { recorded: refused, time: '2026-11-20T12:05:00Z' },
      want: 'Create',
    },
    {
      name: 'repeats it on another server',
      given: { recorded: refused, serverVersion: 'v1.37.0' },
      want: 'Create',
    },
    {
      name: 'repeats it where the policy says something else',
      given: { recorded: { ...refused, rendered: 'other' } },
      want: 'Create',
    },
    {
      name: 'does not repeat fields that were not kept',
      given: { recorded: dropped, autoscalers: [{ ...own, digest: 'kept' }] },
      want: 'NotSupported',
    },
    {
      name: 'does not repeat fields of which another value was made a moment ago',
      given: { recorded: changed('2026-11-20T11:55:00Z'), autoscalers: [{ ...own, digest: 'kept' }] },
      want: 'NotSupported',
    },
    {
      name: 'repeats fields of which another value was made ten minutes ago',
      given: { recorded: changed('2026-11-20T11:50:00Z'), autoscalers: [{ ...own, digest: 'kept' }] },
      want: 'Update',
    },
    {
      name: 'corrects an edit all the same',
      given: { recorded: dropped, autoscalers: [{ ...own, digest: 'edited' }] },
      want: 'Update',
    },
    {
      name: 'makes one anew that is gone, though it was taken without some fields',
      given: { recorded: dropped },
      want: 'Create',
    },
    {
      name: 'lets the defaults of a newer server stand',
      given: { recorded: { ...recorded, answered: 'more' }, autoscalers: [{ ...own, digest: 'more' }] },
      want: 'InSync',
    },
  ])('$name', ({ given, want }) => {
    expect(planned(given)).toBe(want);
  });
});
