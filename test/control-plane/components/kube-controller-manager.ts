import type { Component } from './component.ts';
import { isHealthy, kubeconfigs, secureServing } from './health.ts';

/** Deployments, ReplicaSets, garbage collection, and the native HorizontalPodAutoscaler. */
export const kubeControllerManager: Component = {
  name: 'kube-controller-manager',
  arguments: (context) => [
    ...secureServing(context, 'kube-controller-manager'),
    ...kubeconfigs(context.kubeconfigFor({ commonName: 'system:kube-controller-manager' })),
    '--leader-elect=false',
    // Wants a range of pod addresses; there are no pod networks here.
    '--controllers=*,-node-ipam-controller',
    // As in a real cluster each controller has a service account and that account's rights, and no more.
    '--use-service-account-credentials',
    `--service-account-private-key-file=${context.credentials.serviceAccount.privateKey}`,
    `--root-ca-file=${context.credentials.authority}`,
    '--horizontal-pod-autoscaler-sync-period=5s',
  ],
  isReady: (context) => isHealthy(context, 'kube-controller-manager', '/healthz'),
};
