import type { ScaleTarget } from '#reconciliation';
import type { NewObject } from '#simulator';

const containers = [{ name: 'application', image: 'none' }];

/** A Deployment whose selector is `app=NAME`. */
export function deploymentManifest(name: string, replicas: number): NewObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** A pod that a Deployment owns directly. */
export function podManifest(name: string, owner: { readonly name: string; readonly uid: string }): NewObject {
  const reference = { apiVersion: 'apps/v1', kind: 'Deployment', ...owner };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: owner.name },
      ownerReferences: [reference],
    },
    spec: { containers },
  };
}

/** An HPA with the default metric. */
export function autoscalerManifest(name: string, target: ScaleTarget): NewObject {
  const { apiVersion, kind } = target;
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: 'shop' },
    spec: { maxReplicas: 5, scaleTargetRef: { apiVersion, kind, name: target.name } },
  };
}
