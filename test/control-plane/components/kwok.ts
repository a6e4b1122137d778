import { createIfAbsent } from '../api-client.ts';
import type { Component } from './component.ts';

/** The one node; a pod is put there by `nodeName` where no scheduler runs. */
export const kwokNodeName = 'kwok-node-0';

/** Far more than any test asks for: one such node carries 100,000 pods. */
const capacity = { cpu: '1M', memory: '1Pi', pods: '1M' } as const;

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: kwokNodeName,
    labels: { 'kubernetes.io/hostname': kwokNodeName, 'kubernetes.io/os': 'linux', type: 'kwok' },
    annotations: {
      'kwok.x-k8s.io/node': 'fake',
      'metrics.k8s.io/resource-metrics-path': `/metrics/nodes/${kwokNodeName}/metrics/resource`,
    },
  },
  status: { allocatable: capacity, capacity: capacity },
} as const;

/** Plays the kubelet: pods on its node become ready at once, and use what their annotations say. */
export const kwok: Component = {
  name: 'kwok',
  arguments: (context) => [
    `--kubeconfig=${context.kubeconfigFor({ commonName: 'kwok', organizations: ['system:masters'] })}`,
    `--config=${context.artifact('kwok-stages.yaml')}`,
    '--manage-all-nodes',
    // Without a lease to renew the node goes unready after 50 s, its pods with it, and those never come back.
    '--node-lease-duration-seconds=40',
    '--node-ip=127.0.0.1',
    `--node-port=${context.ports.kwok}`,
    `--server-address=127.0.0.1:${context.ports.kwok}`,
    `--tls-cert-file=${context.credentials.serving.certificate}`,
    `--tls-private-key-file=${context.credentials.serving.privateKey}`,
  ],
  prepare: ({ api }) => createIfAbsent(api, '/api/v1/nodes', node),
  isReady: async ({ api }) => {
    const { body } = await api({ path: `/api/v1/nodes/${kwokNodeName}` });
    const { conditions = [] } = (body as { status: { conditions?: { type: string; status: string }[] } })
      .status;
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  },
};
