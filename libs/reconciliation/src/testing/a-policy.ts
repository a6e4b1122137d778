import type { DirectionRules, EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';

const immediate: DirectionRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 900, periodSeconds: 15 }],
};

/** A boring valid policy: a queue, one item per replica, 1 to 10 replicas, at once in both directions. */
export function aPolicy(changes: Partial<EffectivePolicy> = {}): EffectivePolicy {
  const name = changes.name ?? 'checkout';
  return {
    kind: 'AutoscalingPolicy',
    family: 'hpa',
    namespace: 'shop',
    name,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    actuation: 'Scale',
    enabled: true,
    dryRun: false,
    intervalSeconds: 15,
    minReplicas: 1,
    maxReplicas: 10,
    selectionStrategy: 'LabelSelector',
    sharedSelectorAllowed: false,
    metrics: [
      {
        type: 'External',
        metric: { name: 'queue' },
        target: { type: 'AverageValue', averageValueMilli: 1_000n },
        targetDocument: { type: 'AverageValue', averageValue: '1' },
      },
    ],
    behavior: { isSet: true, scaleUp: immediate, scaleDown: immediate },
    replicaStep: 1,
    tolerateZero: false,
    minAvailablePercent: 0,
    readinessDelaySeconds: 0,
    schedules: [],
    freezes: [],
    labels: {},
    annotations: {},
    ...changes,
  };
}

/** A boring policy in force, with the commit that allowed it. */
export function anActivePolicy(changes: Partial<EffectivePolicy> = {}): ActivePolicy {
  const policy = aPolicy(changes);
  return {
    policy,
    document: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: policy.name, namespace: policy.namespace },
      spec: { scaleTargetRef: { ...policy.target }, minReplicas: 1, maxReplicas: 10 },
    },
    origin: {
      source: 'fleet',
      commit: {
        hash: 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678',
        author: 'Ada <ada@example.com>',
        subject: 'Add checkout policy',
        time: '2026-11-20T11:00:00Z',
      },
      file: `shop/${policy.name}.yaml`,
      line: 1,
    },
  };
}
