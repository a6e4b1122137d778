import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { dirname, resolve } from 'node:path';
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { object, objects, text } from './kube-object.ts';

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A user of a kubeconfig. */
export type KubeconfigUser = User & {
  /** Of a service account, or the kubeconfig's `tokenFile`: read anew whenever credentials are. */
  readonly tokenFile?: string;
};

/**
 * A kubeconfig with one of its contexts. It stands in the place of client-node's `KubeConfig`, which loads the models of
 * the whole API with it, some 40 MB; that one is asked only for users with an `auth-provider`.
 */
export class Kubeconfig {
  readonly cluster: Cluster | null;
  readonly user: KubeconfigUser | null;
  readonly context: Context | null;
  /** The name of the context, whether or not there is one of that name. */
  readonly contextName: string;

  private constructor(
    documents: { clusters: Cluster[]; users: KubeconfigUser[]; contexts: Context[] },
    contextName: string,
  ) {
    const { clusters, users, contexts } = documents;
    this.contextName = contextName;
    this.context = contexts.find(({ name }) => name === contextName) ?? null;
    this.cluster = clusters.find(({ name }) => name === this.context?.cluster) ?? null;
    this.user = users.find(({ name }) => name === this.context?.user) ?? null;
  }

  /** @throws Error where it cannot be read, or is no kubeconfig */
  static ofFile(path: string, context?: string): Kubeconfig {
    return Kubeconfig.ofText(readFileSync(path, 'utf8'), { context, folder: dirname(path) });
  }

  /**
   * @param folder that relative paths begin at
   * @throws Error where it is no kubeconfig
   */
  static ofText(
    kubeconfig: string,
    { context, folder }: { readonly context?: string | undefined; readonly folder?: string } = {},
  ): Kubeconfig {
    const document = object(parse(kubeconfig));
    const absolute = (path: string | undefined): string | undefined =>
      typeof path === 'string' && path !== '' && folder !== undefined ? resolve(folder, path) : path;
    const clusters = newClusters(document['clusters']);
    for (const cluster of clusters) setPath(cluster, 'caFile', absolute(cluster.caFile));
    const tokenFiles = new Map(
      objects(document['users']).map((entry) => [
        text(entry['name']),
        text(object(entry['user'])['tokenFile']),
      ]),
    );
    const users = newUsers(document['users']).map((user) => {
      setPath(user, 'certFile', absolute(user.certFile));
      setPath(user, 'keyFile', absolute(user.keyFile));
      const tokenFile = absolute(tokenFiles.get(user.name)) ?? '';
      return tokenFile === '' || typeof user.token === 'string' || folder === undefined
        ? user
        : { ...user, tokenFile };
    });
    const contexts = newContexts(document['contexts']);
    return new Kubeconfig({ clusters, users, contexts }, context ?? text(document['current-context']));
  }

  /** That of the pod that this process runs in. */
  static ofServiceAccount(): Kubeconfig {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = process.env;
    const scheme = ['80', '8080', '8001'].includes(port) ? 'http' : 'https';
    const cluster = {
      name: 'inCluster',
      caFile: `${serviceAccountFolder}/ca.crt`,
      server: `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      skipTLSVerify: false,
    };
    const user = { name: 'inCluster', tokenFile: `${serviceAccountFolder}/token` };
    const context = { name: 'inCluster', cluster: cluster.name, user: user.name };
    return new Kubeconfig({ clusters: [cluster], users: [user], contexts: [context] }, context.name);
  }

  /**
   * Reads certificates and tokens as they are now, for a request; those of an `exec` plugin are not among them.
   *
   * @throws Error where one of them cannot be read
   */
  async requestOptions(): Promise<RequestOptions> {
    const { cluster, user } = this;
    if (user?.authProvider !== undefined && user.authProvider !== null) return this.#ofAuthProvider();
    return {
      ...(cluster !== null && trustIn(cluster)),
      ...(user !== null && identityOf(user)),
      headers: user === null ? {} : headersOf(user),
    };
  }

  /** Azure, Google Cloud and OpenID Connect as old kubeconfigs have them. */
  async #ofAuthProvider(): Promise<RequestOptions> {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const { cluster, user, context } = this;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromOptions({
      clusters: cluster === null ? [] : [cluster],
      users: user === null ? [] : [{ ...user, exec: undefined }],
      contexts: context === null ? [] : [context],
      currentContext: this.contextName,
    });
    const options: RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(options);
    return options;
  }
}

function setPath<K extends string>(owner: { [key in K]?: string }, key: K, path: string | undefined): void {
  if (path !== undefined) owner[key] = path;
}

function part<K extends 'ca' | 'cert' | 'key'>(
  key: K,
  file: string | undefined,
  data: string | undefined,
): Partial<Record<K, Buffer>> | undefined {
  if (isGiven(file)) return { [key]: readFileSync(file) } as Partial<Record<K, Buffer>>;
  return isGiven(data) ? ({ [key]: Buffer.from(data, 'base64') } as Partial<Record<K, Buffer>>) : undefined;
}

function trustIn({ skipTLSVerify, tlsServerName, caFile, caData }: Cluster): RequestOptions {
  return {
    ...(skipTLSVerify && { rejectUnauthorized: false }),
    ...(isGiven(tlsServerName) && { servername: tlsServerName }),
    ...part('ca', caFile, caData),
  };
}

function identityOf({
  certFile,
  certData,
  keyFile,
  keyData,
  username,
  password,
}: KubeconfigUser): RequestOptions {
  return {
    ...part('cert', certFile, certData),
    ...part('key', keyFile, keyData),
    ...(isGiven(username) && { auth: `${username}:${password ?? ''}` }),
  };
}

function headersOf({ impersonateUser, token, tokenFile }: KubeconfigUser): Record<string, string> {
  const bearer = isGiven(token) ? token : isGiven(tokenFile) ? tokenIn(tokenFile) : '';
  return {
    ...(isGiven(impersonateUser) && { 'Impersonate-User': impersonateUser }),
    ...(bearer !== '' && { Authorization: `Bearer ${bearer}` }),
  };
}

/** A file that is being rewritten is empty for a moment, and a request without a token is anybody's. */
function tokenIn(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`${path}: the token file is empty`);
  return token;
}

/** client-node types as text what a kubeconfig may leave out, or write as null. */
function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
