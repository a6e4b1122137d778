import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type KubeObject, listAt, objectAt, withValueAt } from '../objects/kube-object.ts';

/** Values that Kubernetes fills in where the writer left a field out. */
const podSpecDefaults: JsonObject = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const containerDefaults: JsonObject = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const toleratedSeconds = 300;
const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: toleratedSeconds,
}));

/** Defaults of an apps/v1 Deployment. */
export function completeDeployment(object: KubeObject): KubeObject {
  const spec = objectAt(object, 'spec');
  const strategy: JsonObject = { type: 'RollingUpdate', ...objectAt(spec, 'strategy') };
  const rolling = { maxUnavailable: '25%', maxSurge: '25%', ...objectAt(strategy, 'rollingUpdate') };
  return withTemplate(object, {
    replicas: 1,
    ...spec,
    strategy: strategy['type'] === 'RollingUpdate' ? { ...strategy, rollingUpdate: rolling } : strategy,
    revisionHistoryLimit: spec['revisionHistoryLimit'] ?? 10,
    progressDeadlineSeconds: spec['progressDeadlineSeconds'] ?? 600,
  });
}

/** Defaults of an apps/v1 ReplicaSet. */
export function completeReplicaSet(object: KubeObject): KubeObject {
  return withTemplate(object, { replicas: 1, ...objectAt(object, 'spec') });
}

/** Defaults of an apps/v1 StatefulSet. */
export function completeStatefulSet(object: KubeObject): KubeObject {
  return withTemplate(object, {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    ...objectAt(object, 'spec'),
  });
}

/** Defaults of a batch/v1 Job, with the selector and labels that tie its pods to it by its uid. */
export function completeJob(object: KubeObject): KubeObject {
  const { uid, name } = object.metadata;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const spec = objectAt(object, 'spec');
  const template = objectAt(spec, 'template');
  const templateLabels = { ...objectAt(template, 'metadata', 'labels'), ...labels };
  const completed = withTemplate(object, {
    parallelism: 1,
    ...(spec['parallelism'] === undefined ? { completions: 1 } : {}),
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    ...spec,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels: templateLabels } },
  });
  return {
    ...completed,
    metadata: { ...completed.metadata, labels: { ...completed.metadata.labels, ...labels } },
  };
}

/** Defaults of a core/v1 Pod, admission's included. */
export function completePod(object: KubeObject): KubeObject {
  const spec = completePodSpec(objectAt(object, 'spec'));
  return {
    ...object,
    spec: {
      ...spec,
      containers: listAt(spec, 'containers').map(completeRequests),
      tolerations: spec['tolerations'] ?? tolerations,
      priority: spec['priority'] ?? 0,
      enableServiceLinks: spec['enableServiceLinks'] ?? true,
      preemptionPolicy: spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
    },
    status: { phase: 'Pending', qosClass: 'Burstable', ...objectAt(object, 'status') },
  };
}

/** Status of a new Namespace, and the label that selects it by name. */
export function completeNamespace(object: KubeObject): KubeObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    spec: { finalizers: ['kubernetes'], ...objectAt(object, 'spec') },
    status: { phase: 'Active', ...objectAt(object, 'status') },
  };
}

/** Fields of a core/v1 Event that are written even when empty. */
export function completeEvent(object: KubeObject): KubeObject {
  const filled = { source: {}, firstTimestamp: null, lastTimestamp: null, eventTime: null };
  return { ...filled, reportingComponent: '', reportingInstance: '', ...object };
}

function withTemplate(object: KubeObject, spec: JsonObject): KubeObject {
  const podSpec = completePodSpec(objectAt(spec, 'template', 'spec'));
  return { ...object, spec: withValueAt(spec, ['template', 'spec'], podSpec) };
}

function completePodSpec(spec: JsonObject): JsonObject {
  const containers = listAt(spec, 'containers').map(completeContainer);
  return { ...podSpecDefaults, ...spec, ...(spec['containers'] === undefined ? {} : { containers }) };
}

function completeContainer(container: Json): Json {
  if (!isJsonObject(container)) return container;
  const ports = listAt(container, 'ports');
  return {
    ...containerDefaults,
    imagePullPolicy: pullPolicy(container['image']),
    ...container,
    ...(ports.length === 0 ? {} : { ports: ports.map(completePort) }),
  };
}

function completePort(port: Json): Json {
  return isJsonObject(port) ? { protocol: 'TCP', ...port } : port;
}

function pullPolicy(image: Json | undefined): string {
  const text = typeof image === 'string' ? image : '';
  const [, tag] = text.slice(text.lastIndexOf('/') + 1).split(':');
  return tag === undefined || tag === '' || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** A limit without a request is the request, too. */
function completeRequests(container: Json): Json {
  const limits = objectAt(container, 'resources', 'limits');
  if (!isJsonObject(container) || Object.keys(limits).length === 0) return container;
  return withValueAt(container, ['resources', 'requests'], {
    ...limits,
    ...objectAt(container, 'resources', 'requests'),
  });
}
