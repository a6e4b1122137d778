import { describe, expect, it } from '@jest/globals';
import type { LeaseRecord } from '#coordination';
import { AdapterError } from '#kernel';
import { LeaseClient } from './lease-client.ts';

const place = { namespace: 'plimsoll', prefix: 'plimsoll', timeoutMilliseconds: 1_000 };
const record: LeaseRecord = {
  holder: 'me',
  durationMilliseconds: 15_000,
  acquireTime: null,
  renewTime: null,
  transitions: 0,
  advertisedUrl: null,
  takesShards: true,
  reachesDatabase: true,
  version: null,
  settings: null,
};
const observed = { name: 'plimsoll-leader', uid: 'u', resourceVersion: '7', record };

function lease(holderIdentity: string, changes: object = {}): object {
  const metadata = { name: 'plimsoll-leader', uid: 'u', resourceVersion: '8', ...changes };
  return { kind: 'Lease', metadata, spec: { holderIdentity } };
}

function clientOf(answer: unknown): LeaseClient {
  return new LeaseClient({ json: () => Promise.resolve(answer) }, place);
}

describe('a Lease whose duration somebody has edited', () => {
  it.each([
    { annotation: '1e300', want: null },
    { annotation: '2147483648000', want: null },
    { annotation: '2147483647000', want: 2_147_483_647_000 },
    { annotation: 'Infinity', want: null },
    { annotation: '-15000', want: null },
    { annotation: 'long', want: null },
  ])('lasts for $want ms where $annotation is written', async ({ annotation, want }) => {
    const annotations = { 'plimsoll.dev/lease-duration-milliseconds': annotation };
    const items = [lease('me', { annotations })];
    const [read] = await clientOf({ kind: 'LeaseList', metadata: {}, items }).list();
    expect(read?.record.durationMilliseconds).toBe(want);
  });
});

describe('a write of a Lease that is answered with 200', () => {
  it('is written where the answer names its holder', async () => {
    const written = { kind: 'Written', lease: { resourceVersion: '8', record: { holder: 'me' } } };
    expect(await clientOf(lease('me')).update(observed, record)).toMatchObject(written);
    expect(await clientOf(lease('me')).create('plimsoll-leader', record)).toMatchObject(written);
    const released = { kind: 'Written', lease: { record: { holder: null } } };
    expect(await clientOf(lease('')).update(observed, { ...record, holder: null })).toMatchObject(released);
  });

  it.each([
    { name: 'another holder', answer: lease('other') },
    { name: 'no version', answer: lease('me', { resourceVersion: undefined }) },
    { name: 'no uid', answer: lease('me', { uid: undefined }) },
    { name: 'nothing', answer: {} },
  ])('is in doubt where the answer names $name', async ({ answer }) => {
    await expect(clientOf(answer).update(observed, record)).rejects.toMatchObject({ code: 'Malformed' });
    await expect(clientOf(answer).create('plimsoll-leader', record)).rejects.toMatchObject({
      code: 'Malformed',
    });
  });
});

describe('a write of a Lease that is answered with 409', () => {
  const renewal = { ...record, renewTime: '2026-11-27T18:00:00.250Z', transitions: 3 };
  const conflict = new AdapterError({ code: 'Conflict', message: 'modified', retryable: true });

  /** An API server that refuses writes, and lists one Lease. */
  function refusing(spec: object): LeaseClient {
    const items = [
      { kind: 'Lease', metadata: { name: 'plimsoll-leader', uid: 'u', resourceVersion: '8' }, spec },
    ];
    return new LeaseClient(
      {
        json: ({ method }) =>
          method === undefined
            ? Promise.resolve({ kind: 'LeaseList', metadata: {}, items })
            : Promise.reject(conflict),
      },
      place,
    );
  }

  const asWritten = {
    holderIdentity: 'me',
    renewTime: '2026-11-27T18:00:00.250000Z',
    leaseTransitions: 3,
  };

  it('was made where the Lease says what it wrote: the request came twice', async () => {
    const written = { kind: 'Written', lease: { resourceVersion: '8', record: { holder: 'me' } } };
    expect(await refusing(asWritten).update(observed, renewal)).toMatchObject(written);
    expect(await refusing(asWritten).create('plimsoll-leader', renewal)).toMatchObject(written);
  });

  it.each([
    { name: 'another holder', spec: { ...asWritten, holderIdentity: 'other' } },
    { name: 'nobody', spec: { ...asWritten, holderIdentity: '' } },
    { name: 'another renewal', spec: { ...asWritten, renewTime: '2026-11-27T18:00:00.249000Z' } },
    { name: 'no renewal', spec: { holderIdentity: 'me', leaseTransitions: 3 } },
    { name: 'another take-over', spec: { ...asWritten, leaseTransitions: 4 } },
  ])('was not where it names $name', async ({ spec }) => {
    expect(await refusing(spec).update(observed, renewal)).toEqual({ kind: 'Conflict' });
    expect(await refusing(spec).create('plimsoll-leader', renewal)).toEqual({ kind: 'Conflict' });
    expect(await refusing(spec).create('plimsoll-other', renewal)).toEqual({ kind: 'Conflict' });
  });
});
