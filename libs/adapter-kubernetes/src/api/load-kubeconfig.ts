import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import {
  AdapterError,
  isJsonObject,
  type JsonObject,
  messageOf,
  redactCredentials,
  withoutTrailing,
} from '#kernel';
import { object, objects, text } from '../objects/kube-object.ts';

/** Where the cluster's address and credentials come from. */
export type ConnectionSource =
  | { readonly kind: 'Kubeconfig'; readonly path: string; readonly context?: string }
  | { readonly kind: 'InCluster' }
  /** The kubeconfig itself, as YAML or JSON text. */
  | { readonly kind: 'Explicit'; readonly kubeconfig: string };

/** A kubeconfig as it is now. */
export interface LoadedKubeconfig {
  readonly kubeConfig: KubeConfig;
  /** Without a trailing slash. */
  readonly server: string;
  /** The `exec` section of the current user, which is not left to client-node: it waits for a plugin without a bound. */
  readonly exec: JsonObject | undefined;
}

/**
 * Reads the kubeconfig.
 *
 * @throws AdapterError `InvalidKubeconfig` where there is no such file, context, cluster or service account.
 */
export function loadKubeconfig(source: ConnectionSource): LoadedKubeconfig {
  const kubeConfig = new KubeConfig();
  try {
    readInto(kubeConfig, source);
  } catch (error) {
    const name = source.kind === 'Kubeconfig' ? `kubeconfig ${source.path}: ` : '';
    throw invalidKubeconfig(`${name}${messageOf(error)}`);
  }
  if (source.kind === 'Kubeconfig' && source.context !== undefined) {
    if (kubeConfig.getContextObject(source.context) === null)
      throw invalidKubeconfig(`${source.path} has no context ${source.context}`);

    kubeConfig.setCurrentContext(source.context);
  }
  allowPlainLoopback(kubeConfig);
  const server = kubeConfig.getCurrentCluster()?.server;
  if (server === undefined)
    throw invalidKubeconfig(`context ${kubeConfig.getCurrentContext()} names no cluster`);
  return { kubeConfig, server: withoutTrailing(server, '/'), exec: takeExec(kubeConfig) };
}

/** The error for a kubeconfig that cannot be used. */
export function invalidKubeconfig(message: string): AdapterError {
  return new AdapterError({
    code: 'InvalidKubeconfig',
    message: redactCredentials(message),
    retryable: false,
  });
}

function readInto(kubeConfig: KubeConfig, source: ConnectionSource): void {
  switch (source.kind) {
    case 'Kubeconfig': {
      kubeConfig.loadFromFile(source.path);
      takeTokenFiles(kubeConfig, source.path);
      return;
    }
    case 'InCluster': {
      if (process.env['KUBERNETES_SERVICE_HOST'] === undefined) {
        throw new Error(
          'not in a pod: KUBERNETES_SERVICE_HOST is not set, and cluster.kubeconfig names no kubeconfig',
        );
      }

      kubeConfig.loadFromCluster();
      return;
    }
    case 'Explicit': {
      kubeConfig.loadFromString(source.kubeconfig);
      return;
    }
  }
}

/** client-node knows `tokenFile` for service accounts only; in a kubeconfig it is the same, relative to the file. */
function takeTokenFiles(kubeConfig: KubeConfig, path: string): void {
  const users = objects(object(parse(readFileSync(path, 'utf8')))['users']);
  const files = new Map(
    users.map((entry) => [text(entry['name']), text(object(entry['user'])['tokenFile'])]),
  );
  kubeConfig.users = kubeConfig.users.map((user) => {
    const file = files.get(user.name) ?? '';
    if (file === '' || typeof user.token === 'string') return user;
    const config = { tokenFile: resolve(dirname(path), file) };
    return { ...user, authProvider: { name: 'tokenFile', config } };
  });
}

function takeExec(kubeConfig: KubeConfig): JsonObject | undefined {
  const user = kubeConfig.getCurrentUser();
  const exec: unknown = user?.exec;
  if (user === null || !isJsonObject(exec)) return undefined;
  kubeConfig.users = kubeConfig.users.map((other) => (other === user ? { ...user, exec: undefined } : other));
  return exec;
}

/** client-node refuses `http:` unless TLS is not verified; on this machine's own loopback there is nothing to verify. */
function allowPlainLoopback(kubeConfig: KubeConfig): void {
  const current = kubeConfig.getCurrentCluster();
  if (current?.server.startsWith('http:') !== true) return;
  const { hostname } = new URL(current.server);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw invalidKubeconfig(
      `${current.server}: http sends credentials in the clear, and is for loopback only; use https`,
    );
  }
  kubeConfig.clusters = kubeConfig.clusters.map((cluster) =>
    cluster === current ? { ...cluster, skipTLSVerify: true } : cluster,
  );
}
