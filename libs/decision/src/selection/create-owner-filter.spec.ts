import { describe, expect, it } from '@jest/globals';
import { parseDecideInput } from '../input/parse-decide-input.ts';
import type { ObservedOwner, OwnerReference } from '../model/observation.ts';
import { createOwnerFilter } from './create-owner-filter.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs' };

/** A chain of `length` owners above the pod, the last of them referring to the target. */
function chain(length: number): readonly ObservedOwner[] {
  return Array.from({ length }, (_, index) => ({
    ...link(index),
    ownerReferences: [index === length - 1 ? deployment : link(index + 1)],
  }));
}

function link(index: number): OwnerReference {
  return { apiVersion: 'example.org/v1', kind: 'Link', name: `link-${index}` };
}

interface Given {
  readonly references: readonly OwnerReference[];
  readonly owners?: readonly ObservedOwner[];
  readonly uid?: string;
}

function outcome({ references, owners = [], uid }: Given): unknown {
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { scaleTargetRef: deployment, maxReplicas: 3, selectionStrategy: 'OwnerReference' },
    },
    observation: { time: '2026-11-20T12:00:00Z', scale: { specReplicas: 1 }, target: { uid }, owners },
  });
  if (!input.ok) throw new Error(input.error.message);
  const filter = createOwnerFilter(input.value);
  const pod = { name: 'a', ownerReferences: references };
  // The second pod of the same chain comes from the filter's memory.
  expect(filter(pod)).toBe(filter({ ...pod, name: 'b' }));
  return filter(pod);
}

describe('createOwnerFilter', () => {
  it.each<{ name: string; given: Given; want: string | null }>([
    { name: 'nothing owns the pod', given: { references: [] }, want: 'NoOwner' },
    { name: 'the target owns it', given: { references: [deployment] }, want: null },
    {
      name: 'the version differs, the group does not',
      given: { references: [{ ...deployment, apiVersion: 'apps/v1beta1' }] },
      want: null,
    },
    {
      name: 'the group differs',
      given: {
        references: [{ ...deployment, apiVersion: 'v1' }],
        owners: [{ ...deployment, apiVersion: 'v1' }],
      },
      want: 'OtherOwner',
    },
    {
      name: 'both have a uid, and they differ',
      given: { references: [{ ...deployment, uid: 'old' }], uid: 'new' },
      want: 'OwnerNotFound',
    },
    { name: 'one of them has a uid', given: { references: [{ ...deployment, uid: 'old' }] }, want: null },
    {
      name: 'the target is level 2',
      given: { references: [replicaSet], owners: [{ ...replicaSet, ownerReferences: [deployment] }] },
      want: null,
    },
    { name: 'the owner is not there', given: { references: [replicaSet] }, want: 'OwnerNotFound' },
    {
      name: 'the owner was made again under its name',
      given: {
        references: [replicaSet],
        owners: [{ ...replicaSet, uid: 'again', ownerReferences: [deployment] }],
      },
      want: 'OwnerNotFound',
    },
    {
      name: 'another owner ends the chain',
      given: { references: [replicaSet], owners: [replicaSet] },
      want: 'OtherOwner',
    },
    { name: 'level 10 is the target', given: { references: [link(0)], owners: chain(9) }, want: null },
    {
      name: 'level 11 is the target',
      given: { references: [link(0)], owners: chain(10) },
      want: 'ChainTooDeep',
    },
    {
      name: 'owners own each other',
      given: {
        references: [link(0)],
        owners: [
          { ...link(0), ownerReferences: [link(1)] },
          { ...link(1), ownerReferences: [link(0)] },
        ],
      },
      want: 'OtherOwner',
    },
    {
      name: 'one branch is broken and another ends elsewhere',
      given: { references: [replicaSet, link(0)], owners: [replicaSet] },
      want: 'OwnerNotFound',
    },
    {
      name: 'one branch is broken and another reaches the target',
      given: {
        references: [link(0), replicaSet],
        owners: [{ ...replicaSet, ownerReferences: [deployment] }],
      },
      want: null,
    },
    {
      name: 'a reference of no name meets an owner of none',
      given: {
        references: [{ ...link(0), name: '' }],
        owners: [{ ...link(0), name: '', ownerReferences: [deployment] }],
      },
      want: 'OwnerNotFound',
    },
    {
      name: 'a reference of no kind meets an owner of none',
      given: {
        references: [{ name: 'link-0' }],
        owners: [{ name: 'link-0', ownerReferences: [deployment] }],
      },
      want: 'OwnerNotFound',
    },
    {
      name: 'a reference of kind null meets an owner of null',
      given: {
        references: [{ ...link(0), kind: null }],
        owners: [{ ...link(0), kind: null, ownerReferences: [deployment] }],
      },
      want: 'OwnerNotFound',
    },
    {
      name: 'the owner has a uid of no text',
      given: {
        references: [{ ...link(0), uid: 'a' }],
        owners: [{ ...link(0), uid: '', ownerReferences: [deployment] }],
      },
      want: null,
    },
    {
      name: 'owners of one name differ in kind',
      given: {
        references: [link(0)],
        owners: [{ ...link(0), kind: 'Other', ownerReferences: [deployment] }, link(0)],
      },
      want: 'OtherOwner',
    },
    {
      name: 'two owners have one name, whichever comes first',
      given: {
        references: [link(0)],
        owners: [
          { ...link(0), uid: '1' },
          { ...link(0), uid: '2', ownerReferences: [deployment] },
        ],
      },
      want: null,
    },
  ])('says $want where $name', ({ given, want }) => {
    expect(outcome(given)).toBe(want);
    const reversed = {
      ...given,
      references: given.references.toReversed(),
      owners: given.owners?.toReversed() ?? [],
    };
    expect(outcome(reversed)).toBe(want);
  });

  it('tells the chains of pods apart by group, kind, name and uid of their owner', () => {
    const input = parseDecideInput({
      policy: {
        apiVersion: 'plimsoll.dev/v1alpha1',
        kind: 'AutoscalingPolicy',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { scaleTargetRef: deployment, maxReplicas: 3, selectionStrategy: 'OwnerReference' },
      },
      observation: {
        time: '2026-11-20T12:00:00Z',
        scale: { specReplicas: 1 },
        owners: [{ ...replicaSet, ownerReferences: [deployment] }],
      },
    });
    if (!input.ok) throw new Error(input.error.message);
    const filter = createOwnerFilter(input.value);
    const reasonFor = (reference: OwnerReference): unknown =>
      filter({ name: 'a', ownerReferences: [reference] });
    expect(reasonFor(replicaSet)).toBeNull();
    expect(reasonFor({ ...replicaSet, uid: 'other' })).toBe('OwnerNotFound');
    expect(reasonFor({ ...replicaSet, name: 'other' })).toBe('OwnerNotFound');
    expect(reasonFor({ ...replicaSet, kind: 'StatefulSet' })).toBe('OwnerNotFound');
    expect(reasonFor({ ...replicaSet, apiVersion: 'example.org/v1' })).toBe('OwnerNotFound');
  });
});
