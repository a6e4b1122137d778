import type { KubeObject } from '../objects/kube-object.ts';
import * as defaults from './defaults.ts';
import { autoscalerFields, completeAutoscaler, validateAutoscaler } from './horizontal-pod-autoscaler.ts';
import type { ResourceDefinition, ScalePaths } from './resource-definition.ts';
import { validateJob, validatePod, validateWorkload } from './validation.ts';

type Entry = Pick<ResourceDefinition, 'group' | 'version' | 'plural' | 'kind'> & Partial<ResourceDefinition>;

const scalePaths: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

const workload = {
  group: 'apps',
  version: 'v1',
  categories: ['all'],
  hasStatus: true,
  hasGeneration: true,
  scale: scalePaths,
  validate: validateWorkload,
} as const;

/** The built-in resources that Plimsoll meets, as a real server serves them. */
export const builtinResources: readonly ResourceDefinition[] = [
  define({
    group: '',
    version: 'v1',
    plural: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    hasStatus: true,
    complete: defaults.completeNamespace,
    fieldSelectors: { 'status.phase': ['status', 'phase'] },
  }),
  define({
    group: '',
    version: 'v1',
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    hasStatus: true,
    hasGeneration: true,
    complete: defaults.completePod,
    validate: validatePod,
    fieldSelectors: {
      'spec.nodeName': ['spec', 'nodeName'],
      'spec.restartPolicy': ['spec', 'restartPolicy'],
      'spec.schedulerName': ['spec', 'schedulerName'],
      'spec.serviceAccountName': ['spec', 'serviceAccountName'],
      'status.phase': ['status', 'phase'],
      'status.podIP': ['status', 'podIP'],
    },
  }),
  define({
    group: '',
    version: 'v1',
    plural: 'events',
    kind: 'Event',
    shortNames: ['ev'],
    complete: defaults.completeEvent,
    fieldSelectors: {
      'involvedObject.kind': ['involvedObject', 'kind'],
      'involvedObject.namespace': ['involvedObject', 'namespace'],
      'involvedObject.name': ['involvedObject', 'name'],
      'involvedObject.uid': ['involvedObject', 'uid'],
      'involvedObject.apiVersion': ['involvedObject', 'apiVersion'],
      'involvedObject.resourceVersion': ['involvedObject', 'resourceVersion'],
      'involvedObject.fieldPath': ['involvedObject', 'fieldPath'],
      reason: ['reason'],
      reportingComponent: ['reportingComponent'],
      source: { path: ['source', 'component'], otherwise: ['reportingComponent'] },
      type: ['type'],
    },
  }),
  define({ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] }),
  define({
    ...workload,
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    complete: defaults.completeDeployment,
  }),
  define({
    ...workload,
    plural: 'replicasets',
    kind: 'ReplicaSet',
    shortNames: ['rs'],
    complete: defaults.completeReplicaSet,
    fieldSelectors: { 'status.replicas': ['status', 'replicas'] },
  }),
  define({
    ...workload,
    plural: 'statefulsets',
    kind: 'StatefulSet',
    shortNames: ['sts'],
    complete: defaults.completeStatefulSet,
  }),
  define({
    group: 'batch',
    version: 'v1',
    plural: 'jobs',
    kind: 'Job',
    categories: ['all'],
    hasStatus: true,
    hasGeneration: true,
    complete: defaults.completeJob,
    validate: validateJob,
    fieldSelectors: { 'status.successful': ['status', 'succeeded'] },
  }),
  define({
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    shortNames: ['hpa'],
    categories: ['all'],
    hasStatus: true,
    complete: completeAutoscaler,
    validate: validateAutoscaler,
    fields: autoscalerFields,
  }),
  define({ group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' }),
  define({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    hasStatus: true,
    hasGeneration: true,
  }),
];

function define(entry: Entry): ResourceDefinition {
  return {
    singular: entry.kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    custom: false,
    hasStatus: false,
    hasGeneration: false,
    complete: (object: KubeObject) => object,
    validate: () => [],
    fieldSelectors: {},
    ...entry,
  };
}
