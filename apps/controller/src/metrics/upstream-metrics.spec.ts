import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { PassReport } from '#reconciliation';
import { aDecision, aDecisionMetric, anActivePolicy } from '#reconciliation/testing';
import { durationBuckets, UpstreamMetrics } from './upstream-metrics.ts';

const failed = { reason: 'FailedGetExternalMetric', message: 'no such metric' };

async function counted(changes: Partial<PassReport>): Promise<readonly string[]> {
  const registry = new Registry();
  new UpstreamMetrics(registry, () => 3).record({
    key: 'shop/checkout',
    active: anActivePolicy(),
    time: '2026-11-20T12:00:00.000Z',
    durationMilliseconds: 20,
    outcome: { kind: 'Done', reason: 'Unchanged', message: '' },
    ready: { type: 'Ready', status: 'True', reason: 'Unchanged', message: '' },
    conditions: [],
    decision: aDecision(),
    decisionId: null,
    computationMilliseconds: 3,
    lastScaleTime: null,
    scale: null,
    ...changes,
  });
  const text = await registry.metrics();
  return text
    .split('\n')
    .filter((line) => /_total\{|_count\{|_sum\{/.test(line))
    .map((line) => line.replace('horizontal_pod_autoscaler_controller_', ''));
}

describe('the metrics of the HPA controller', () => {
  it('have its buckets, one millisecond and twice as much fourteen times', () => {
    expect(durationBuckets).toHaveLength(15);
    expect([durationBuckets[0], durationBuckets[1], durationBuckets.at(-1)]).toEqual([0.001, 0.002, 16.384]);
  });

  it('count a pass and its metrics', async () => {
    const metrics = [
      aDecisionMetric(),
      aDecisionMetric({ type: 'External', proposedReplicas: null, error: failed }),
    ];
    expect(await counted({ decision: aDecision({ metrics }) })).toEqual([
      'reconciliations_total{action="scale_up",error="internal"} 1',
      'reconciliation_duration_seconds_sum{action="scale_up",error="internal"} 0.02',
      'reconciliation_duration_seconds_count{action="scale_up",error="internal"} 1',
      'metric_computation_total{action="scale_up",error="none",metric_type="Resource"} 1',
      'metric_computation_total{action="none",error="internal",metric_type="External"} 1',
      'metric_computation_duration_seconds_sum{action="scale_up",error="none",metric_type="Resource"} 0.003',
      'metric_computation_duration_seconds_count{action="scale_up",error="none",metric_type="Resource"} 1',
      'metric_computation_duration_seconds_sum{action="none",error="internal",metric_type="External"} 0.003',
      'metric_computation_duration_seconds_count{action="none",error="internal",metric_type="External"} 1',
    ]);
  });

  it.each([
    { outcome: { kind: 'Done', reason: 'Unchanged', message: '' }, want: 'none' },
    { outcome: { kind: 'Failed', reason: 'FailedGetScale', message: '' }, want: 'internal' },
    { outcome: { kind: 'Stalled', reason: 'AmbiguousSelector', message: '' }, want: 'internal' },
    { outcome: { kind: 'Stalled', reason: 'Conflict', message: '' }, want: 'none' },
    { outcome: { kind: 'Waiting', reason: 'InvalidMetricSourceType', message: '' }, want: 'spec' },
  ] as const)('name the error of $outcome.reason $want', async ({ outcome, want }) => {
    const [first] = await counted({ outcome, decision: null });
    expect(first).toBe(`reconciliations_total{action="none",error="${want}"} 1`);
  });

  it.each([
    { group: '', resource: 'pods' },
    { group: 'autoscaling', resource: 'horizontalpodautoscalers' },
  ])('count passes that a stale cache of $resource ended', async (cache) => {
    const outcome = { kind: 'Waiting', reason: 'CacheNotSynced', message: '', cache } as const;
    expect(await counted({ outcome, decision: null })).toContain(
      `stale_sync_skips_total{group="${cache.group}",resource="${cache.resource}"} 1`,
    );
  });

  it('count no other pass that waits', async () => {
    const outcome = { kind: 'Waiting', reason: 'PodsUnknown', message: '' } as const;
    expect((await counted({ outcome })).join()).not.toContain('stale_sync_skips_total{');
  });
});
