import type { NewObject } from '../objects/kube-object.ts';

/** A container of the demo; requests in Kubernetes quantities. */
interface DemoContainer {
  readonly name: string;
  readonly cpu: string;
}

/** A workload of the demo. */
export interface DemoWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly containers: readonly DemoContainer[];
}

/** A Deployment; its pods carry its name as label. */
export function demoDeployment({ namespace, name, replicas, containers }: DemoWorkload): NewObject {
  const labels = labelsOf(name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels, containers) },
  };
}

/** A Job whose pods carry the labels of a Deployment, as a chart that labels everything alike makes them. */
export function demoJob(workload: DemoWorkload & { readonly deployment: string }): NewObject {
  const { namespace, name, replicas, containers, deployment } = workload;
  const { metadata, spec } = template(labelsOf(deployment), containers);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name, labels: labelsOf(deployment) },
    spec: {
      parallelism: replicas,
      completions: replicas,
      template: { metadata, spec: { ...spec, restartPolicy: 'Never' } },
    },
  };
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name };
}

function template(labels: Readonly<Record<string, string>>, containers: readonly DemoContainer[]) {
  return {
    metadata: { labels },
    spec: {
      containers: containers.map(({ name, cpu }) => ({
        name,
        image: `registry.example.com/demo/${name}:1.0`,
        resources: { requests: { cpu, memory: '128Mi' } },
      })),
    },
  };
}
