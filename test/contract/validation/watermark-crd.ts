import { type ApiClient, createIfAbsent } from '../../control-plane/api-client.ts';
import { eventually } from '../../control-plane/poll.ts';

/*
 * The custom resource as the Watermark Pod Autoscaler's own CRD defines it: the same types, formats, patterns, bounds
 * and required fields, without its descriptions and columns.
 *
 * @see https://github.com/DataDog/watermarkpodautoscaler config/crd/bases/v1/datadoghq.com_watermarkpodautoscalers.yaml
 */

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const texts: Schema = { type: 'object', additionalProperties: text };
const int32 = (bounds: { readonly minimum?: number; readonly maximum?: number } = {}): Schema => ({
  type: 'integer',
  format: 'int32',
  ...bounds,
});
const list = (items: Schema): Schema => ({ type: 'array', items, 'x-kubernetes-list-type': 'atomic' });
const map = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** What kubebuilder writes for every quantity. */
const quantity: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
};
const marks = { highWatermark: quantity, lowWatermark: quantity };

const selector: Schema = {
  ...map({
    matchExpressions: list(map({ key: text, operator: text, values: list(text) }, ['key', 'operator'])),
    matchLabels: texts,
  }),
  'x-kubernetes-map-type': 'atomic',
};
const metric = map(
  {
    external: map({ ...marks, metricName: text, metricSelector: selector }, ['metricName']),
    resource: map({ ...marks, metricSelector: selector, name: text }, ['name']),
    type: text,
  },
  ['type'],
);

const tlsVersion: Schema = { type: 'string', pattern: '^TLS1[0-3]$' };
const recommender = map(
  {
    ...marks,
    settings: texts,
    targetType: text,
    tlsConfig: map({
      caFile: text,
      certFile: text,
      insecureSkipVerify: flag,
      keyFile: text,
      maxVersion: tlsVersion,
      minVersion: tlsVersion,
      serverName: text,
    }),
    url: text,
  },
  ['url'],
);

const spec = map(
  {
    algorithm: text,
    convergeTowardsWatermark: text,
    downscaleDelayBelowWatermarkSeconds: int32({ minimum: 0 }),
    downscaleForbiddenWindowSeconds: int32({ minimum: 1 }),
    dryRun: flag,
    maxReplicas: int32({ minimum: 1 }),
    metrics: list(metric),
    minAvailableReplicaPercentage: int32({ maximum: 100 }),
    minReplicas: int32({ minimum: 1 }),
    readinessDelaySeconds: int32({ minimum: 1 }),
    recommender,
    replicaScalingAbsoluteModulo: int32({ minimum: 1 }),
    scaleDownLimitFactor: quantity,
    scaleTargetRef: map({ apiVersion: text, kind: text, name: text }, ['kind', 'name']),
    scaleUpLimitFactor: quantity,
    tolerance: quantity,
    tolerateZero: flag,
    upscaleDelayAboveWatermarkSeconds: int32({ minimum: 0 }),
    upscaleForbiddenWindowSeconds: int32({ minimum: 1 }),
  },
  ['scaleTargetRef'],
);

/** What the controller writes; nothing here looks at it, so its inside is open. */
const status: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const watermarkCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'watermarkpodautoscalers.datadoghq.com' },
  spec: {
    group: 'datadoghq.com',
    names: {
      kind: 'WatermarkPodAutoscaler',
      listKind: 'WatermarkPodAutoscalerList',
      plural: 'watermarkpodautoscalers',
      shortNames: ['wpa'],
      singular: 'watermarkpodautoscaler',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: map({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status }),
        },
      },
    ],
  },
} as const;

/** Creates the CustomResourceDefinition, and waits until its objects are served. */
export async function installWatermarkCrd(api: ApiClient): Promise<void> {
  await createIfAbsent(api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', watermarkCrd);
  await eventually({
    description: 'the WatermarkPodAutoscaler to be served',
    probe: async () => {
      const { status } = await api({ path: '/apis/datadoghq.com/v1alpha1/watermarkpodautoscalers' });
      return status === 200 ? true : undefined;
    },
    timeoutMilliseconds: 30_000,
  });
}
