import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../model/active-policy.ts';

/** A boring valid policy: cpu at 60 %, 1 to 10 replicas, writes the scale. */
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
        type: 'Resource',
        resource: 'cpu',
        target: { type: 'Utilization', averageUtilization: 60 },
        targetDocument: { type: 'Utilization', averageUtilization: 60 },
      },
    ],
    behavior: { isSet: false, scaleUp: {}, scaleDown: {} },
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
