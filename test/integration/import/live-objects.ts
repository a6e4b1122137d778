import { generateHpa } from '../../contract/validation/generated-autoscalers.ts';
import { generateWatermark } from '../../contract/validation/generated-watermarks.ts';
import { inParallel } from '../../contract/validation/server-verdict.ts';
import type { ControlPlane } from '../../control-plane/control-plane.ts';

/** An object to create in a cluster. */
export type LiveObject = Readonly<Record<string, unknown>>;

const alpha = 'autoscaling.alpha.kubernetes.io';

interface Sketch {
  readonly name: string;
  readonly namespace?: string;
  readonly apiVersion?: string;
  readonly metadata?: LiveObject;
  readonly spec?: LiveObject;
}

/** A HorizontalPodAutoscaler of a Deployment of its own name. */
export function hpa({
  name,
  namespace = 'shop',
  apiVersion = 'autoscaling/v2',
  ...rest
}: Sketch): LiveObject {
  return {
    apiVersion,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace, ...rest.metadata },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      maxReplicas: 9,
      ...rest.spec,
    },
  };
}

/** A WatermarkPodAutoscaler of a Deployment of its own name. */
export function watermark({ name, namespace = 'shop', ...rest }: Sketch): LiveObject {
  return {
    apiVersion: 'datadoghq.com/v1alpha1',
    kind: 'WatermarkPodAutoscaler',
    metadata: { name, namespace, ...rest.metadata },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      maxReplicas: 9,
      metrics: [
        {
          type: 'External',
          external: { metricName: 'queue', metricSelector: {}, highWatermark: '20', lowWatermark: 10 },
        },
      ],
      ...rest.spec,
    },
  };
}

/** Everything that v1 can only say in annotations. */
export const olderHpa = hpa({
  name: 'older',
  apiVersion: 'autoscaling/v1',
  metadata: {
    annotations: {
      'example.com/owner': 'team: checkout',
      [`${alpha}/metrics`]: JSON.stringify([
        { type: 'Resource', resource: { name: 'memory', targetAverageValue: '100Mi' } },
        { type: 'Pods', pods: { metricName: 'qps', targetAverageValue: '1500m' } },
        {
          type: 'Object',
          object: { target: { kind: 'Ingress', name: 'main' }, metricName: 'r', targetValue: '5' },
        },
        {
          type: 'External',
          external: { metricName: 'q', metricSelector: { matchLabels: { queue: 'no' } }, targetValue: 30 },
        },
      ]),
      [`${alpha}/behavior`]: JSON.stringify({
        scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] },
      }),
    },
  },
  spec: { minReplicas: 2, targetCPUUtilizationPercentage: 70 },
});

/** What YAML is easily wrong about. */
export const awkwardHpa = hpa({
  name: 'awkward',
  metadata: {
    labels: { version: '1.10', enabled: 'yes', octal: '010', empty: '' },
    annotations: { note: 'two\nlines: # no comment\n', 'example.com/flag': 'true', emoji: '⚖️ é' },
  },
  spec: {
    behavior: { scaleDown: { tolerance: '0.05', selectPolicy: 'Min' } },
    metrics: [
      {
        type: 'External',
        external: {
          metric: { name: 'on', selector: { matchLabels: { 'a.b/c': '1e3' } } },
          target: { type: 'Value', value: '1e3' },
        },
      },
    ],
  },
});

/** Objects that some tool writes. */
export const managedHpas: readonly LiveObject[] = [
  hpa({
    name: 'by-helm',
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
    },
  }),
  hpa({
    name: 'by-argo',
    metadata: {
      annotations: {
        'argocd.argoproj.io/tracking-id': 'shop-app:autoscaling/HorizontalPodAutoscaler:shop/by-argo',
      },
    },
  }),
  hpa({
    name: 'by-flux',
    metadata: {
      labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux' },
    },
  }),
];

/** An object that another one's controller writes. */
export const ownedHpa = hpa({
  name: 'by-keda',
  metadata: {
    ownerReferences: [
      { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'x', uid: 'u', controller: true },
    ],
  },
});

/** An object that is being deleted, and waits for a finalizer. */
export const finalizedHpa = hpa({ name: 'leaving', metadata: { finalizers: ['example.com/keep'] } });

const resources: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  WatermarkPodAutoscaler: 'watermarkpodautoscalers',
};

/** Creates an object; says whether the server took it. */
export async function create(cluster: ControlPlane, object: LiveObject): Promise<boolean> {
  const { namespace } = object['metadata'] as { readonly namespace: string };
  const resource = resources[String(object['kind'])] ?? '';
  const path = `/apis/${String(object['apiVersion'])}/namespaces/${namespace}/${resource}`;
  const { status } = await cluster.api({ method: 'POST', path, body: object });
  return status === 201;
}

/** Creates what the server takes of generated documents, each with a name and a target of its own. */
export async function createGenerated(
  cluster: ControlPlane,
  namespace: string,
  count: number,
): Promise<number> {
  let created = 0;
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  await inParallel(seeds, async (seed) => {
    const isWatermark = seed % 3 === 0;
    const document = isWatermark ? generateWatermark(seed) : generateHpa(seed);
    const object = placed(document, `${isWatermark ? 'w' : 'h'}${seed}`, namespace);
    if (object !== undefined && (await create(cluster, object))) created += 1;
  });
  return created;
}

function placed(document: LiveObject, name: string, namespace: string): LiveObject | undefined {
  const [metadata, spec] = [document['metadata'], document['spec']] as const;
  if (!isMap(metadata) || !isMap(spec) || !isMap(spec['scaleTargetRef'])) return undefined;
  // Owners that do not exist are collected as garbage, finalizers keep the namespace.
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([key]) => key !== 'ownerReferences' && key !== 'finalizers'),
  );
  const target = { ...spec['scaleTargetRef'], name };
  return { ...document, metadata: { ...own, name, namespace }, spec: { ...spec, scaleTargetRef: target } };
}

function isMap(value: unknown): value is LiveObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
