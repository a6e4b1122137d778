import { describe, expect, it } from '@jest/globals';
import { replicasWriterOf, versionApplyOf } from './field-managers.ts';

const owns = { 'f:spec': { 'f:replicas': {} } };
const entry = (manager: string, time: string, fieldsV1: object): object => ({ manager, time, fieldsV1 });

describe('replicasWriterOf', () => {
  it.each([
    { name: 'nobody', managedFields: [], want: undefined },
    {
      name: 'nobody, where only other fields are owned',
      managedFields: [entry('a', '1', { 'f:spec': { 'f:template': {} } })],
      want: undefined,
    },
    {
      name: 'the owner of the field',
      managedFields: [entry('a', '1', owns), entry('b', '2', { 'f:status': {} })],
      want: { manager: 'a', time: '1' },
    },
    {
      name: 'the last of several that agree',
      managedFields: [entry('a', '2', owns), entry('b', '1', owns)],
      want: { manager: 'a', time: '2' },
    },
    {
      name: 'who scaled a resource that counts elsewhere',
      managedFields: [
        entry('a', '1', { 'f:spec': { 'f:size': {} } }),
        { ...entry('b', '2', { 'f:spec': { 'f:size': {} } }), subresource: 'scale' },
      ],
      want: { manager: 'b', time: '2' },
    },
    {
      name: 'the writer, and not who only changed the version',
      managedFields: [
        { ...entry('plimsoll-version-1', '3', owns), operation: 'Apply', subresource: 'scale' },
        entry('a', '1', owns),
      ],
      want: { manager: 'a', time: '1' },
    },
  ])('names $name', ({ managedFields, want }) => {
    const metadata = JSON.parse(JSON.stringify({ managedFields })) as Parameters<typeof replicasWriterOf>[0];
    expect(replicasWriterOf(metadata)).toEqual(want);
  });
});

describe('versionApplyOf', () => {
  const applied = (manager: string): object => ({ manager, operation: 'Apply', subresource: 'scale' });

  it.each([
    { name: 'none has applied', managedFields: [], want: { manager: 'plimsoll-version-1', count: 'Owned' } },
    {
      name: 'the first has',
      managedFields: [applied('plimsoll-version-1')],
      want: { manager: 'plimsoll-version-2', count: 'Owned' },
    },
    {
      name: 'the second has',
      managedFields: [applied('plimsoll-version-2'), applied('argocd')],
      want: { manager: 'plimsoll-version-1', count: 'Owned' },
    },
    {
      name: 'both have, so that the count stays another’s',
      managedFields: [applied('plimsoll-version-1'), applied('plimsoll-version-2')],
      want: { manager: 'plimsoll-version-1', count: 'GivenUp' },
    },
  ])('changes the version where $name', ({ managedFields, want }) => {
    const metadata = JSON.parse(JSON.stringify({ managedFields })) as Parameters<typeof versionApplyOf>[0];
    expect(versionApplyOf(metadata)).toEqual(want);
  });
});
