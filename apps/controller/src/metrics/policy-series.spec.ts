import { describe, expect, it } from '@jest/globals';
import type { Condition } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { PassReport } from '#reconciliation';
import { aDecision, aDecisionMetric, anActivePolicy } from '#reconciliation/testing';
import { StatusRegistry } from '../reconcile/status-registry.ts';
import { policyMetrics } from './policy-metrics.ts';
import { policiesPerSlice, type PolicySeriesOptions, renderPolicySeries } from './policy-series.ts';

const time = '2026-11-20T12:00:00.000Z';
const now = Date.parse(time) + 40_000;

function aReport(changes: Partial<PassReport> = {}, policy: Partial<EffectivePolicy> = {}): PassReport {
  const active = anActivePolicy(policy);
  return {
    key: `${active.policy.namespace}/${active.policy.name}`,
    active,
    time,
    durationMilliseconds: 5,
    outcome: { kind: 'Done', reason: 'Unchanged', message: '' },
    ready: { type: 'Ready', status: 'True', reason: 'Unchanged', message: '' },
    conditions: [],
    decision: aDecision(),
    decisionId: null,
    computationMilliseconds: 3,
    lastScaleTime: null,
    scale: null,
    ...changes,
  };
}

function condition(type: string, status: Condition['status'], reason = type): Condition {
  return { type, status, reason, message: '', lastTransitionTime: time };
}

function render(reports: readonly PassReport[], changes: Partial<PolicySeriesOptions> = {}): string[] {
  return [
    ...renderPolicySeries({
      metrics: policyMetrics,
      scope: 'All',
      cluster: 'test',
      reports: () => reports,
      scaledReplicas: () => ({ up: 7, down: 2 }),
      now: () => now,
      ...changes,
    }),
  ];
}

function samplesOf(parts: readonly string[]): string[] {
  return parts
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const base =
  'wpa_name="checkout",wpa_namespace="shop",resource_namespace="shop",resource_name="checkout",resource_kind="Deployment",target_name="checkout",namespace="shop",dry_run="false"';

describe('the series of policies', () => {
  it('are rendered in slices, so that a scrape of 10,000 policies holds the loop for none for long', () => {
    const reports = Array.from({ length: 10_000 }, (_, index) => aReport({}, { name: `p-${index}` }));
    const parts = render(reports);
    const [ofAll, ofWatermarks] = [false, true].map((isOfFamily) =>
      policyMetrics.filter(({ family }) => (family === 'watermark') === isOfFamily),
    );
    // Metrics of the other family are a header each.
    expect(parts).toHaveLength(
      ((ofAll?.length ?? 0) * reports.length) / policiesPerSlice + (ofWatermarks?.length ?? 0),
    );
    const lengths = parts.map((part) => part.split('\n').length);
    // The header's two lines, and the empty one after the last.
    expect(Math.max(...lengths)).toBeLessThanOrEqual(policiesPerSlice + 3);
    expect(samplesOf(parts)).toHaveLength(2 * reports.length);
  });

  it.each([
    { scope: 'All', want: ['bad', 'good', 'slow'] },
    { scope: 'Attention', want: ['bad', 'slow'] },
    { scope: 'None', want: [] },
  ] as const)('are those of $want where the setting is $scope', ({ scope, want }) => {
    const ready = { type: 'Ready', status: 'False', reason: 'Conflict', message: '' } as const;
    const parts = render(
      [
        aReport({ ready }, { name: 'bad' }),
        aReport({ conditions: [condition('Degraded', 'False')] }, { name: 'good' }),
        aReport({ conditions: [condition('Degraded', 'True')] }, { name: 'slow' }),
      ],
      { scope },
    );
    const desired = samplesOf(parts).filter((line) => line.startsWith('plimsoll_desired_replicas'));
    expect(desired).toEqual(
      want.map((policy) => `plimsoll_desired_replicas{namespace="shop",policy="${policy}",cluster="test"} 6`),
    );
  });

  it('name their metrics also where there is no policy', () => {
    const types = render([]).map((part) => /^# TYPE (\S+)/m.exec(part)?.[1]);
    expect(types).toEqual(policyMetrics.map(({ name }) => name));
  });

  it('vanish with their policy', () => {
    const statuses = new StatusRegistry();
    for (const name of ['stays', 'leaves']) statuses.publish(aReport({}, { name }));
    const shown = (): readonly string[] =>
      samplesOf(render(statuses.list())).flatMap((line) => /policy="(\w+)"/.exec(line)?.[1] ?? []);
    expect(shown()).toEqual(['stays', 'leaves']);
    statuses.retain(new Set(['shop/stays']));
    expect(shown()).toEqual(['stays']);
  });

  it('escape what stands in a label', () => {
    const metrics = [aDecisionMetric({ name: 'sum(a{b="c"}\\d)\n' })];
    const watermark = aReport({ decision: aDecision({ metrics }) }, { family: 'watermark' });
    expect(samplesOf(render([watermark])).join('\n')).toContain(
      String.raw`metric_name="sum(a{b=\"c\"}\\d)\n"`,
    );
  });

  it('are without the names of the Watermark Pod Autoscaler where a policy is not of its family', () => {
    expect(samplesOf(render([aReport()]))).toEqual([
      'plimsoll_desired_replicas{namespace="shop",policy="checkout",cluster="test"} 6',
      'horizontal_pod_autoscaler_controller_desired_replicas{namespace="shop",hpa_name="checkout",cluster="test"} 6',
    ]);
  });

  it('are those of the Watermark Pod Autoscaler for a policy of its family', () => {
    const target = { type: 'Watermark', lowMilli: 150n, highMilli: 400n } as const;
    const queue = {
      type: 'External',
      metric: { name: 'queue' },
      target: { ...target, algorithm: 'absolute', toleranceMilli: 0 },
      targetDocument: {},
    } as const;
    const metrics = [
      aDecisionMetric({ type: 'External', name: 'queue', current: { value: '420m' }, proposedReplicas: 9 }),
    ];
    const behavior = {
      isSet: false,
      scaleUp: { forbiddenWindowSeconds: 60 },
      scaleDown: { forbiddenWindowSeconds: 300 },
    };
    const report = aReport(
      {
        decision: aDecision({ metrics }),
        conditions: [
          condition('AbleToScale', 'True'),
          condition('ScalingActive', 'True'),
          condition('ScalingLimited', 'True', 'ScaleUpLimit'),
          condition('ScalingBlocked', 'False'),
        ],
        lastScaleTime: time,
      },
      {
        family: 'watermark',
        metrics: [queue],
        behavior,
        lifecycle: { apiVersion: 'v1', kind: 'ConfigMap', name: 'brake', jsonPath: '.data.stop' },
      },
    );
    const all = samplesOf(render([report]));
    expect(all.filter((line) => line.startsWith('plimsoll_policy_condition'))).toEqual([]);
    const lines = all.filter((line) => line.startsWith('wpa_controller_'));
    expect(
      lines.map((line) =>
        line.replace(base, '…').replace(',cluster="test"', '').replace('wpa_controller_', ''),
      ),
    ).toEqual([
      'value{…,metric_name="queue"} 420',
      'high_watermark{…,metric_name="queue"} 400',
      'high_watermak{…,metric_name="queue"} 400',
      'low_watermark{…,metric_name="queue"} 150',
      'low_watermak{…,metric_name="queue"} 150',
      'replicas_scaling_proposal{…,metric_name="queue"} 9',
      'replicas_scaling_effective{…} 6',
      'min_replicas{…} 1',
      'max_replicas{…} 10',
      'dry_run{…} 0',
      'scaling_active{…} 1',
      'restricted_scaling{…,reason="downscale_capping"} 0',
      'restricted_scaling{…,reason="upscale_capping"} 1',
      'restricted_scaling{…,reason="within_bounds"} 0',
      'transition_countdown{…,transition="upscale"} 20',
      'transition_countdown{…,transition="downscale"} 260',
      'conditions{…,condition="able_to_scale"} 1',
      'conditions{…,condition="scaling_limited"} 1',
      'conditions{…,condition="scaling_blocked"} 0',
      'upscale_replicas_total{…} 7',
      'downscale_replicas_total{…} 2',
      'lifecycle_control_status{wpa_name="checkout",wpa_namespace="shop",lifecycle_status="blocked",monitor_name="brake",monitor_namespace="shop",dry_run="false"} 0',
      'labels_info{wpa_name="checkout",wpa_namespace="shop",resource_namespace="shop",namespace="shop",dry_run="false"} 1',
    ]);
  });

  it.each([
    ['ScaleDownLimit', 'downscale_capping'],
    ['ScaleUpLimit', 'upscale_capping'],
    ['TooManyReplicas', 'within_bounds'],
  ])('say of %s that %s restricts the count', (reason, want) => {
    const limited = aReport(
      { conditions: [condition('ScalingLimited', 'True', reason)] },
      { family: 'watermark' },
    );
    const ones = samplesOf(render([limited])).filter((line) => /restricted_scaling.* 1$/.test(line));
    expect(ones).toEqual([expect.stringContaining(`reason="${want}"`)]);
  });
});
