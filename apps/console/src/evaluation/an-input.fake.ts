import type { JsonObject } from '#kernel';

/** A checkout with three pods at 80 % of what they request, and a target of 60 %: it wants 4. */
export function anInput(): JsonObject {
  const names = ['checkout-a', 'checkout-b', 'checkout-c'];
  return {
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'checkout', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        maxReplicas: 10,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 30 } },
      },
    },
    settings: { tolerance: 0.1 },
    observation: {
      time: '2026-11-20T12:00:00Z',
      scale: { specReplicas: 3, statusReplicas: 3, selector: 'app=checkout' },
      pods: names.map((name) => ({
        name,
        phase: 'Running',
        startTime: '2026-11-20T09:00:00Z',
        ready: { status: 'True', lastTransitionTime: '2026-11-20T09:01:00Z' },
        containers: [{ name: 'web', requests: { cpu: '100m' } }],
      })),
      metrics: [
        { pods: names.map((pod) => ({ pod, containers: [{ name: 'web', usage: { cpu: '80m' } }] })) },
      ],
    },
    memory: {},
  };
}
