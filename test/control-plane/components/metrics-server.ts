import { registerAggregatedApi } from '../aggregated-api.ts';
import type { Component } from './component.ts';
import { isHealthy, kubeconfigs, secureServing } from './health.ts';

/** Serves metrics.k8s.io from what KWOK says its pods use; the first usage appears after about 30 s. */
export const metricsServer: Component = {
  name: 'metrics-server',
  arguments: (context) => [
    ...secureServing(context, 'metrics-server'),
    ...kubeconfigs(
      context.kubeconfigFor({ commonName: 'metrics-server', organizations: ['system:masters'] }),
    ),
    '--kubelet-insecure-tls',
    '--kubelet-use-node-status-port',
    '--kubelet-preferred-address-types=InternalIP',
    // The shortest it takes, and it must exceed the timeout.
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
  ],
  isReady: async (context) => {
    // Ready would mean "has usage", which is never where there are no pods; live is all we can wait for.
    if (!(await isHealthy(context, 'metrics-server', '/livez'))) return false;
    const api = { group: 'metrics.k8s.io', version: 'v1beta1', port: context.ports['metrics-server'] };
    await registerAggregatedApi(context.api, api);
    return true;
  },
};
