import { createApiClient } from '../api-client.ts';
import type { ComponentContext, ComponentName } from './component.ts';

/** Asks a component's own secure port; every Kubernetes program answers there with 200 once it is well. */
export async function isHealthy(
  context: ComponentContext,
  component: ComponentName,
  path: string,
): Promise<boolean> {
  const { authority, admin } = context.credentials;
  const ask = createApiClient(`https://127.0.0.1:${context.ports[component]}`, authority, admin);
  return (await ask({ path })).status === 200;
}

/** Flags of a program's own HTTPS server, which all Kubernetes programs spell alike. */
export function secureServing(context: ComponentContext, component: ComponentName): string[] {
  const { certificate, privateKey } = context.credentials.serving;
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${context.ports[component]}`,
    `--tls-cert-file=${certificate}`,
    `--tls-private-key-file=${privateKey}`,
  ];
}

/** Flags of a client of the kube-apiserver that also asks it who its own callers are. */
export function kubeconfigs(path: string): string[] {
  return ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (flag) => `--${flag}=${path}`,
  );
}
