import type { Component, ComponentContext } from './component.ts';
import { isHealthy, secureServing } from './health.ts';

/** The API server with RBAC, service account tokens and aggregation. */
export const kubeApiserver: Component = {
  name: 'kube-apiserver',
  arguments: (context) => [
    ...secureServing(context, 'kube-apiserver'),
    `--etcd-servers=http://127.0.0.1:${context.ports.etcd}`,
    // Loopback is refused here; this one is reserved for documentation (RFC 5737), and nothing connects to it.
    '--advertise-address=192.0.2.10',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--client-ca-file=${context.credentials.authority}`,
    '--authorization-mode=RBAC',
    // Without a controller manager no namespace gets a default service account, and the plugin would refuse every pod.
    '--disable-admission-plugins=ServiceAccount',
    ...serviceAccountTokens(context),
    ...aggregation(context),
  ],
  isReady: (context) => isHealthy(context, 'kube-apiserver', '/readyz'),
};

function serviceAccountTokens({ credentials }: ComponentContext): string[] {
  return [
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.serviceAccount.publicKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccount.privateKey}`,
  ];
}

/** @see https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/ */
function aggregation({ credentials }: ComponentContext): string[] {
  return [
    `--requestheader-client-ca-file=${credentials.frontProxy.authority}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${credentials.frontProxy.certificate}`,
    `--proxy-client-key-file=${credentials.frontProxy.privateKey}`,
  ];
}
