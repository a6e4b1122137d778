import type { Component } from './component.ts';
import { isHealthy, kubeconfigs, secureServing } from './health.ts';

/** Binds pods to nodes; a pod that names its node needs none. */
export const kubeScheduler: Component = {
  name: 'kube-scheduler',
  arguments: (context) => [
    ...secureServing(context, 'kube-scheduler'),
    ...kubeconfigs(context.kubeconfigFor({ commonName: 'system:kube-scheduler' })),
    '--leader-elect=false',
  ],
  isReady: (context) => isHealthy(context, 'kube-scheduler', '/healthz'),
};
