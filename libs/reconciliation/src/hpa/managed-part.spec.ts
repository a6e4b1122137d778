import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { aPolicy } from '../testing/a-policy.ts';
import { newHpaDocument, replacedHpaDocument } from './hpa-document.ts';
import {
  completeSpec,
  describeDifferences,
  differencesOf,
  digestOf,
  managedPartOf,
  managedPartOfObject,
  specDigestOf,
} from './managed-part.ts';
import { renderHpa } from './render-hpa.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };
const cpu = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const queue = (averageValue: string | number): JsonObject => ({
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue } },
});
const spec: JsonObject = { scaleTargetRef, minReplicas: 1, maxReplicas: 5, metrics: [cpu(80)] };
const rendered = renderHpa(aPolicy({ actuation: 'HorizontalPodAutoscaler' }), 'uid', {
  time: '2026-11-20T12:00:00Z',
  windows: [],
  interventions: [],
});

describe('the digest of a spec', () => {
  it.each([
    { name: 'without its defaults', other: { scaleTargetRef, maxReplicas: 5 }, isEqual: true },
    { name: 'with no metrics', other: { ...spec, metrics: [] }, isEqual: true },
    { name: 'with another maximum', other: { ...spec, maxReplicas: 6 }, isEqual: false },
    { name: 'with a behavior of defaults alone', other: { ...spec, behavior: {} }, isEqual: false },
    { name: 'with a metric twice', other: { ...spec, metrics: [cpu(80), cpu(80)] }, isEqual: false },
  ])('$name is equal: $isEqual', ({ other, isEqual }) => {
    expect(specDigestOf(other) === specDigestOf(spec)).toBe(isEqual);
  });

  it.each([
    ['1', '1000m'],
    ['2Gi', '2147483648'],
    ['0.5', 0.5],
  ])('takes the quantities %j and %j for one', (one, other) => {
    expect(specDigestOf({ ...spec, metrics: [queue(one)] })).toBe(
      specDigestOf({ ...spec, metrics: [queue(other)] }),
    );
  });

  it('takes metrics in any order for the same, but counts them', () => {
    const digest = (metrics: readonly JsonObject[]): string => specDigestOf({ ...spec, metrics });
    expect(digest([cpu(80), queue('1'), cpu(60)])).toBe(digest([cpu(60), cpu(80), queue('1000m')]));
    expect(digest([cpu(80), cpu(80), queue('1')])).not.toBe(digest([cpu(80), queue('1'), queue('1')]));
  });

  it('fills in both directions of a behavior', () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 3 } };
    expect(completeSpec({ ...spec, behavior })['behavior']).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: {
        stabilizationWindowSeconds: 3,
        selectPolicy: 'Max',
        policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      },
    });
  });
});

describe('the managed part', () => {
  it('of what is created is that of what was rendered', () => {
    expect(digestOf(managedPartOfObject(newHpaDocument(rendered)))).toBe(digestOf(managedPartOf(rendered)));
  });

  it('leaves labels, annotations and owners of others out, and a full update leaves them alone', () => {
    const created = newHpaDocument(rendered);
    const live = {
      ...created,
      metadata: {
        name: 'checkout',
        namespace: 'shop',
        uid: 'u',
        resourceVersion: '7',
        finalizers: ['example.com/keep'],
        labels: { team: 'shop', 'app.kubernetes.io/managed-by': 'helm' },
        annotations: { 'example.com/note': 'x', 'plimsoll.dev/until': 'yesterday' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'a' },
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'b', controller: true },
        ],
      },
    };
    const updated = replacedHpaDocument(rendered, live);
    expect(updated).toMatchObject({
      metadata: {
        uid: 'u',
        resourceVersion: '7',
        finalizers: ['example.com/keep'],
        labels: { team: 'shop', 'app.kubernetes.io/managed-by': 'plimsoll' },
        annotations: { 'example.com/note': 'x', 'plimsoll.dev/policy': 'shop/checkout' },
        ownerReferences: [{ uid: 'a' }, { uid: 'uid', controller: true, blockOwnerDeletion: true }],
      },
    });
    expect(updated['metadata']).not.toHaveProperty(['annotations', 'plimsoll.dev/until']);
    expect(digestOf(managedPartOfObject(updated))).toBe(digestOf(managedPartOf(rendered)));
  });
});

describe('differences', () => {
  it('are told field by field', () => {
    const found = { spec: { ...spec, maxReplicas: 9, metrics: [cpu(60), queue('2')] } };
    const differences = differencesOf(found, { spec: { ...spec, behavior: { scaleUp: {} } } });
    expect(describeDifferences(differences)).toBe(
      'spec.maxReplicas 9 → 5, spec.metrics[Resource cpu].resource.target.averageUtilization 60 → 80, ' +
        'spec.metrics[External queue] removed ({"external":{"metric":{"name":"queue"},"target":{"averageValue":"2","type":"AverageValue"}},"type":"External"}), ' +
        'spec.behavior set to {"scaleUp":{}}',
    );
  });

  it('are at most twenty', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, index]));
    expect(differencesOf({}, many)).toHaveLength(20);
  });
});
