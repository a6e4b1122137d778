/** What the pods of a scenario's targets use, and what its custom and external metrics say. */
export interface Load {
  /** Of the container `app`, over all pods of a target together. */
  readonly cpuMillicores?: number;
  /** Of the container `app`, per pod. */
  readonly cpuMillicoresPerPod?: number;
  /** Of the container `app`, per pod. */
  readonly memoryMebibytesPerPod?: number;
  /** Of the container `sidecar`, per pod. */
  readonly sidecarMillicores?: number;
  /** How many pods, the oldest, have samples; absent: all. */
  readonly sampledPods?: number;
  readonly queue?: number;
  /** `requests` of the custom metrics API, per pod. */
  readonly requestsPerPod?: number;
  /** `hits` of the scenario's Service in the custom metrics API. */
  readonly hits?: number;
}

/** A load from one moment on, and the counts that it leads to, that of the moment first. */
export interface Phase {
  readonly load: Load;
  readonly counts: readonly number[];
}

/** Targets with one spec under one load. */
export interface Scenario {
  readonly name: string;
  readonly replicas: number;
  /** How many of the pods never became ready. */
  readonly unreadyPods?: number;
  /** Of an HPA (`autoscaling/v2`), without its target. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The first is what the autoscalers find. */
  readonly phases: readonly Phase[];
}

const utilization = { type: 'Utilization', averageUtilization: 50 } as const;
const cpu = { type: 'Resource', resource: { name: 'cpu', target: utilization } } as const;
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '50Mi' } },
} as const;
const container = {
  type: 'ContainerResource',
  containerResource: { name: 'cpu', container: 'app', target: utilization },
} as const;
const queue = (name: string): object => ({
  type: 'External',
  external: { metric: { name: `queue-${name}` }, target: { type: 'AverageValue', averageValue: '10' } },
});
const requests = {
  type: 'Pods',
  pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '50' } },
} as const;
const hits = (service: string, target: object): object => ({
  type: 'Object',
  object: {
    describedObject: { apiVersion: 'v1', kind: 'Service', name: service },
    metric: { name: 'hits' },
    target,
  },
});
const atOnce = { scaleDown: { stabilizationWindowSeconds: 0 } } as const;
const onePodPerTwoSeconds = {
  stabilizationWindowSeconds: 0,
  policies: [{ type: 'Pods', value: 1, periodSeconds: 2 }],
} as const;

/**
 * The counts on the way follow from limits, not from how many pods were ready at a moment.
 *
 * Requests are 100m and 64Mi of `app`, 100m and 64Mi of `sidecar`; without a behavior a count may double, or be 4.
 */
export const scenarios: readonly Scenario[] = [
  {
    name: 'step',
    replicas: 2,
    spec: {
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [container],
      behavior: {
        scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 2 }] },
        scaleDown: { stabilizationWindowSeconds: 2 },
      },
    },
    phases: [
      { load: { cpuMillicoresPerPod: 50, sidecarMillicores: 900 }, counts: [2] },
      { load: { cpuMillicoresPerPod: 90, sidecarMillicores: 900 }, counts: [2, 4, 6] },
      { load: { cpuMillicoresPerPod: 10, sidecarMillicores: 900 }, counts: [6, 2] },
    ],
  },
  {
    name: 'spike',
    replicas: 2,
    spec: { minReplicas: 2, maxReplicas: 20, metrics: [queue('spike')] },
    phases: [
      { load: { queue: 20 }, counts: [2] },
      { load: { queue: 100 }, counts: [2, 4, 8, 10] },
      { load: { queue: 0 }, counts: [10, 2] },
    ],
  },
  {
    name: 'memory',
    replicas: 2,
    spec: { minReplicas: 2, maxReplicas: 6, metrics: [memory] },
    phases: [
      { load: { memoryMebibytesPerPod: 50 }, counts: [2] },
      { load: { memoryMebibytesPerPod: 90 }, counts: [2, 4, 6] },
      { load: { memoryMebibytesPerPod: 10 }, counts: [6, 2] },
    ],
  },
  {
    name: 'pods-metric',
    replicas: 2,
    spec: { minReplicas: 2, maxReplicas: 6, metrics: [requests] },
    phases: [
      { load: { requestsPerPod: 50 }, counts: [2] },
      { load: { requestsPerPod: 90 }, counts: [2, 4, 6] },
      { load: { requestsPerPod: 10 }, counts: [6, 2] },
    ],
  },
  {
    name: 'object-value',
    replicas: 2,
    spec: {
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [hits('object-value', { type: 'Value', value: '100' })],
    },
    phases: [
      { load: { hits: 100 }, counts: [2] },
      { load: { hits: 1000 }, counts: [2, 4, 6] },
      { load: { hits: 10 }, counts: [6, 2] },
    ],
  },
  {
    name: 'object-average',
    replicas: 2,
    spec: {
      minReplicas: 2,
      maxReplicas: 20,
      metrics: [hits('object-average', { type: 'AverageValue', averageValue: '10' })],
    },
    phases: [
      { load: { hits: 20 }, counts: [2] },
      { load: { hits: 100 }, counts: [2, 4, 8, 10] },
      { load: { hits: 0 }, counts: [10, 2] },
    ],
  },
  {
    name: 'two-metrics',
    replicas: 2,
    spec: { minReplicas: 1, maxReplicas: 9, metrics: [cpu, queue('two-metrics')], behavior: atOnce },
    phases: [
      { load: { cpuMillicores: 200, queue: 0 }, counts: [2] },
      // One metric changes at a time: an autoscaler may have read the first before a change, and the second after it.
      { load: { cpuMillicores: 200, queue: 60 }, counts: [2, 6] },
      { load: { cpuMillicores: 700, queue: 60 }, counts: [6, 7] },
    ],
  },
  {
    name: 'paced',
    replicas: 2,
    spec: {
      minReplicas: 2,
      maxReplicas: 9,
      metrics: [queue('paced')],
      behavior: { scaleUp: onePodPerTwoSeconds, scaleDown: onePodPerTwoSeconds },
    },
    phases: [
      { load: { queue: 20 }, counts: [2] },
      { load: { queue: 50 }, counts: [2, 3, 4, 5] },
      { load: { queue: 0 }, counts: [5, 4, 3, 2] },
    ],
  },
  {
    name: 'disabled',
    replicas: 2,
    spec: {
      minReplicas: 1,
      maxReplicas: 9,
      metrics: [queue('disabled')],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' } },
    },
    phases: [
      { load: { queue: 20 }, counts: [2] },
      { load: { queue: 60 }, counts: [2, 6] },
      { load: { queue: 10 }, counts: [6] },
    ],
  },
  {
    name: 'correction',
    replicas: 1,
    spec: { minReplicas: 3, maxReplicas: 5, metrics: [queue('correction')], behavior: atOnce },
    phases: [
      { load: { queue: 0 }, counts: [3] },
      { load: { queue: 100 }, counts: [3, 5] },
      { load: { queue: 0 }, counts: [5, 3] },
    ],
  },
  {
    name: 'missing',
    replicas: 4,
    spec: { minReplicas: 1, maxReplicas: 9, metrics: [container], behavior: atOnce },
    phases: [
      { load: { cpuMillicoresPerPod: 50, sampledPods: 3 }, counts: [4] },
      { load: { cpuMillicoresPerPod: 90, sampledPods: 3 }, counts: [4, 6] },
      { load: { cpuMillicoresPerPod: 10, sampledPods: 3 }, counts: [6] },
    ],
  },
  {
    name: 'unready',
    replicas: 4,
    unreadyPods: 2,
    spec: { minReplicas: 1, maxReplicas: 8, metrics: [container], behavior: atOnce },
    phases: [
      { load: { cpuMillicoresPerPod: 50 }, counts: [4] },
      { load: { cpuMillicoresPerPod: 90 }, counts: [4] },
      { load: { cpuMillicoresPerPod: 180 }, counts: [4, 8] },
    ],
  },
  {
    name: 'zero',
    replicas: 2,
    spec: { minReplicas: 0, maxReplicas: 5, metrics: [queue('zero')], behavior: atOnce },
    phases: [
      { load: { queue: 20 }, counts: [2] },
      { load: { queue: 0 }, counts: [2, 0] },
      { load: { queue: 30 }, counts: [0, 3] },
    ],
  },
];
