import {
  AdapterError,
  fileFault,
  isJsonObject,
  type JsonObject,
  redactCredentials,
  withoutTrailing,
} from '#kernel';
import { Kubeconfig } from './kubeconfig.ts';

/** Where the cluster's address and credentials come from. */
export type ConnectionSource =
  | { readonly kind: 'Kubeconfig'; readonly path: string; readonly context?: string }
  | { readonly kind: 'InCluster' }
  /** The kubeconfig itself, as YAML or JSON text. */
  | { readonly kind: 'Explicit'; readonly kubeconfig: string };

/** A kubeconfig as it is now. */
export interface LoadedKubeconfig {
  readonly kubeconfig: Kubeconfig;
  /** Without a trailing slash. */
  readonly server: string;
  /** The `exec` section of the current user, which an `ExecPlugin` runs. */
  readonly exec: JsonObject | undefined;
}

/**
 * Reads the kubeconfig.
 *
 * @throws AdapterError `InvalidKubeconfig` where there is no such file, context, cluster or service account.
 */
export function loadKubeconfig(source: ConnectionSource): LoadedKubeconfig {
  const kubeconfig = read(source);
  const { cluster, context, contextName, user } = kubeconfig;
  if (source.kind === 'Kubeconfig' && source.context !== undefined && context === null)
    throw invalidKubeconfig(`${source.path} has no context ${contextName}`);
  if (cluster === null) throw invalidKubeconfig(`context ${contextName} names no cluster`);
  requireEncryption(cluster.server);
  const exec: unknown = user?.exec;
  const server = withoutTrailing(cluster.server, '/');
  return { kubeconfig, server, exec: isJsonObject(exec) ? exec : undefined };
}

/** The error for a kubeconfig that cannot be used. */
export function invalidKubeconfig(message: string): AdapterError {
  return new AdapterError({
    code: 'InvalidKubeconfig',
    message: redactCredentials(message),
    retryable: false,
  });
}

function read(source: ConnectionSource): Kubeconfig {
  try {
    switch (source.kind) {
      case 'Kubeconfig':
        return Kubeconfig.ofFile(source.path, source.context);
      case 'InCluster':
        return readServiceAccount();
      case 'Explicit':
        return Kubeconfig.ofText(source.kubeconfig);
    }
  } catch (error) {
    if (source.kind !== 'Kubeconfig') throw invalidKubeconfig(fileFault(error));
    throw invalidKubeconfig(`kubeconfig ${source.path}: ${fileFault(error, source.path)}`);
  }
}

function readServiceAccount(): Kubeconfig {
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined) return Kubeconfig.ofServiceAccount();
  throw new Error(
    'not in a pod: KUBERNETES_SERVICE_HOST is not set, and cluster.kubeconfig names no kubeconfig',
  );
}

/** On this machine's own loopback there is nothing to encrypt. */
function requireEncryption(server: string): void {
  if (!server.startsWith('http:')) return;
  const { hostname } = new URL(server);
  if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return;
  throw invalidKubeconfig(
    `${server}: http sends credentials in the clear, and is for loopback only; use https`,
  );
}
