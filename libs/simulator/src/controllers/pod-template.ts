import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#kernel';
import {
  controllerReference,
  type KubeObject,
  objectAt,
  type ObjectMeta,
  toKubeTime,
} from '../objects/kube-object.ts';
import { completePod } from '../registry/defaults.ts';
import type { Cluster } from './cluster.ts';

/** Pods are spread over so many nodes. */
const nodes = 3;
/** All pods of a template share one spec a node: 100,000 pods are mostly metadata. */
const completedSpecs = new WeakMap<JsonObject, readonly JsonObject[]>();
let nextNode = 0;

/** Makes a pod from the template of what controls it, already bound to a node. */
export function createPod(
  owner: KubeObject,
  cluster: Cluster,
  { name, labels, generateName }: Pick<ObjectMeta, 'name' | 'labels' | 'generateName'>,
): KubeObject {
  const template = objectAt(owner, 'spec', 'template');
  const specs = specsOf(template);
  nextNode = (nextNode + 1) % nodes;
  const { annotations } = objectAt(template, 'metadata') as Partial<ObjectMeta>;
  const templateLabels = objectAt(template, 'metadata', 'labels') as Readonly<Record<string, string>>;
  return cluster.store.put('/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName,
      namespace: owner.metadata.namespace,
      uid: randomUUID(),
      resourceVersion: '',
      generation: 1,
      creationTimestamp: toKubeTime(cluster.clock.now()),
      labels: labels === undefined ? templateLabels : { ...templateLabels, ...labels },
      annotations,
      ownerReferences: [controllerReference(owner)],
    },
    spec: specs[nextNode] ?? {},
    status: { phase: 'Pending', qosClass: 'Burstable' },
  });
}

function specsOf(template: JsonObject): readonly JsonObject[] {
  let specs = completedSpecs.get(template);
  if (specs === undefined) {
    const metadata = { name: '', uid: '', resourceVersion: '' };
    const pod = completePod({ apiVersion: 'v1', kind: 'Pod', metadata, spec: objectAt(template, 'spec') });
    const spec = objectAt(pod, 'spec');
    specs = Array.from({ length: nodes }, (_, index) => ({ ...spec, nodeName: `simulated-${index + 1}` }));
    completedSpecs.set(template, specs);
  }
  return specs;
}
