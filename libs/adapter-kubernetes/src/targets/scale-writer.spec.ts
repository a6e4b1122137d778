import { describe, expect, it } from '@jest/globals';
import type { ScaleWriteOutcome } from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { systemTiming } from '../time/timing.ts';
import type { ScaleReader } from './scale-reader.ts';
import { ScaleWriter } from './scale-writer.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const observed = {
  uid: 'u',
  resourceVersion: '7',
  specReplicas: 4,
  statusReplicas: 4,
  selector: 'app=checkout',
};

/** What a write from 4 to 8 comes to where the API server answers 200 with this. */
function write(answer: unknown): Promise<ScaleWriteOutcome> {
  const client = { json: () => Promise.resolve(answer) } as unknown as ApiClient;
  const reader = { pathOf: () => Promise.resolve('/scale') } as unknown as ScaleReader;
  const writer = new ScaleWriter({ client, reader, timing: systemTiming });
  return writer.write({ target, observed, replicas: 8 }, new AbortController().signal);
}

function scale(replicas: unknown, changes: object = {}): object {
  const metadata = { name: 'checkout', namespace: 'shop', uid: 'u', resourceVersion: '8', ...changes };
  return { kind: 'Scale', metadata, spec: { replicas }, status: { replicas: 4 } };
}

describe('a write of a scale that is answered with 200', () => {
  it.each([
    { name: 'the count that was asked for', answer: scale(8), want: 8 },
    { name: 'another count, which admission made of it', answer: scale(6), want: 6 },
  ])('and $name is made, as the answer says', async ({ answer, want }) => {
    expect(await write(answer)).toMatchObject({
      outcome: 'Written',
      state: { specReplicas: want, resourceVersion: '8', writer: { manager: 'plimsoll' } },
    });
  });

  it.each([
    { name: 'the object as it was', answer: scale(4, { resourceVersion: '7' }) },
    { name: 'the count as it was, in another version', answer: scale(4) },
  ])('and $name is not made', async ({ answer }) => {
    expect(await write(answer)).toMatchObject({
      outcome: 'Failed',
      failure: { code: 'NotKept', message: expect.stringContaining('kept 4 in place of 8') },
    });
  });

  it.each([
    { name: 'another object', answer: scale(8, { uid: 'other' }) },
    { name: 'no uid', answer: scale(8, { uid: undefined }) },
    {
      name: 'the count that was asked for, in the version that was sent',
      answer: scale(8, { resourceVersion: '7' }),
    },
    { name: 'another count in an earlier version', answer: scale(6, { resourceVersion: '6' }) },
    { name: 'no version', answer: scale(8, { resourceVersion: undefined }) },
    { name: 'a count that is a text', answer: scale('8') },
    { name: 'a count below none', answer: scale(-8) },
    { name: 'a part of a replica', answer: scale(7.5) },
    { name: 'no object', answer: null },
    { name: 'an object of another kind', answer: { ...scale(8), kind: 'Deployment' } },
  ])('and $name is in doubt', async ({ answer }) => {
    expect(await write(answer)).toMatchObject({ outcome: 'Unknown', failure: { code: 'Malformed' } });
  });
});
