import type { Random } from '../../support/random.ts';
import type { JsonMap } from './document-values.ts';

/** A selector that is valid. */
export const selector = (): JsonMap => ({
  matchLabels: { app: 'shop', 'example.com/tier': 'web' },
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b', 'c'] },
    { key: 'd', operator: 'Exists' },
  ],
});

/** What an autoscaler scales. */
export const target = (): JsonMap => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' });

/** Valid metadata: a name, a namespace, and some of the rest. */
export function metadata(random: Random): JsonMap {
  const all: JsonMap = {
    name: 'checkout',
    namespace: 'shop',
    generateName: 'checkout-',
    labels: { app: 'checkout', 'example.com/tier': 'web' },
    annotations: { 'example.com/Owner': 'a', note: 'some text' },
    finalizers: ['example.com/keep'],
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'a',
        uid: 'b',
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 5,
    uid: 'x',
    selfLink: '/x',
    managedFields: [
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      },
    ],
  };
  return Object.fromEntries(
    Object.entries(all).filter(([key]) => key === 'name' || key === 'namespace' || random.chance(0.3)),
  );
}
