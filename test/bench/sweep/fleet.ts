import { createPolicyRepository, type PolicyRepository } from '../../e2e/support/policy-repository.ts';

/** What half of the policies do differently from the other half. */
export const halves = ['OwnerReference', 'HorizontalPodAutoscaler'] as const;
export type Half = (typeof halves)[number];

export const namespaces = 100;
export const podsPerPolicy = 10;
/** The name in the configuration of the Prometheus server that can be made to hang. */
export const prometheusServer = 'bench';

/** Where the Leases of controllers are that share the policies. */
export const leaseNamespace = 'plimsoll-system';

/** Every so many policies have a metric of the Prometheus server beside their CPU. */
const policiesPerQuery = 20;

/** The namespace of a policy and of its target, by the policy's index. */
export function namespaceOf(index: number): string {
  return `team-${index % namespaces}`;
}

/** The name of a policy and of its target, by the policy's index. */
export function nameOf(index: number): string {
  return `p${index}`;
}

/** Where the repository has the policy, by its index. */
export function fileOf(index: number): string {
  return `${namespaceOf(index)}/${nameOf(index)}.yaml`;
}

/** A repository of so many policies, packed, one file per policy and one folder per namespace. */
export function createFleetRepository(
  folder: string,
  { policies, half }: { readonly policies: number; readonly half: Half },
): PolicyRepository {
  const repository = createPolicyRepository(folder);
  const files = Array.from({ length: policies }, (_, index): readonly [string, string] => [
    fileOf(index),
    policyText(index, half),
  ]);
  repository.commit('Add the fleet', Object.fromEntries(files));
  repository.pack();
  return repository;
}

/** Its load makes it change the count by one pod or not at all, and it follows the load without delay. */
export function policyText(index: number, half: Half): string {
  const halfOf = { OwnerReference: 'selectionStrategy', HorizontalPodAutoscaler: 'actuation' };
  const isDiffering = index % 2 === 1;
  const differing = isDiffering ? `\n  ${halfOf[half]}: ${half}` : '';
  // An HPA has no tolerance of a single metric.
  const isNative = isDiffering && half === 'HorizontalPodAutoscaler';
  const tolerance = isNative ? '' : ', tolerance: 0.05';
  const hasQuery = index % policiesPerQuery === 0;
  const query = `
    - type: Prometheus
      prometheus: { server: ${prometheusServer}, query: 'load{policy="${index}"}', target: { type: AverageValue, averageValue: 10 } }`;
  return `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${nameOf(index)}, namespace: ${namespaceOf(index)} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${nameOf(index)} }
  minReplicas: 2
  maxReplicas: 40${differing}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: 50${tolerance} } }${hasQuery ? query : ''}
  behavior:
    scaleDown: { stabilizationWindowSeconds: 0 }
`;
}
