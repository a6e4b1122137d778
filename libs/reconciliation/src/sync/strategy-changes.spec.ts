import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { strategyChangesOf } from './strategy-changes.ts';

const external = (target: JsonObject): JsonObject => ({
  type: 'External',
  external: { metric: { name: 'queue' }, target },
});
const document = (spec: JsonObject): JsonObject => ({
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'AutoscalingPolicy',
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    maxReplicas: 9,
    metrics: [external({ type: 'Value', value: '10' })],
    ...spec,
  },
});
const watermark = (algorithm: string): JsonObject =>
  external({ type: 'Watermark', lowWatermark: '1', highWatermark: '2', algorithm });

describe('strategyChangesOf', () => {
  const policy = { namespace: 'shop', name: 'checkout' };
  const changes = (before: JsonObject | null, after: JsonObject | null) =>
    strategyChangesOf({ policy, source: 'policies', before, after, commit: null }).map(
      ({ field, before: from, after: to }) => `${field} ${String(from)} → ${to}`,
    );

  it.each([
    {
      name: 'names a change of actuation',
      before: document({}),
      after: document({ actuation: 'HorizontalPodAutoscaler' }),
      want: ['actuation Scale → HorizontalPodAutoscaler'],
    },
    {
      name: 'names a change of algorithm',
      before: document({ metrics: [watermark('absolute')] }),
      after: document({ metrics: [watermark('average')] }),
      want: ['algorithm absolute → average'],
    },
    {
      name: 'names a change from a target to watermarks',
      before: document({}),
      after: document({ metrics: [watermark('average')] }),
      want: ['algorithm Value → average'],
    },
    {
      name: 'names a stop',
      before: document({}),
      after: document({ enabled: false }),
      want: ['enabled true → false'],
    },
    {
      name: 'leaves bounds to PolicyChange',
      before: document({}),
      after: document({ maxReplicas: 12 }),
      want: [],
    },
    { name: 'has nothing to say of a new policy', before: null, after: document({}), want: [] },
    { name: 'has nothing to say of a pruned one', before: document({}), after: null, want: [] },
  ])('$name', ({ before, after, want }) => {
    expect(changes(before, after)).toEqual(want);
  });
});
