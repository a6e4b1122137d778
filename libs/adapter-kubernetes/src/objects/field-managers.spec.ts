import { describe, expect, it } from '@jest/globals';
import { replicasWriterOf } from './field-managers.ts';

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
  ])('names $name', ({ managedFields, want }) => {
    const metadata = JSON.parse(JSON.stringify({ managedFields })) as Parameters<typeof replicasWriterOf>[0];
    expect(replicasWriterOf(metadata)).toEqual(want);
  });
});
