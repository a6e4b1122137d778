/** The parts of a kubeconfig that a client needs. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'insecure-skip-tls-verify': true };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly 'current-context': string;
}

const name = 'plimsoll-simulator';

/** A kubeconfig with one cluster, one user and one context. */
export function kubeconfigFor(server: string, token: string): Kubeconfig {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    // @kubernetes/client-node refuses plain HTTP unless verification is switched off; it never leaves this machine.
    clusters: [{ name: name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: name, user: { token } }],
    contexts: [{ name: name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}
