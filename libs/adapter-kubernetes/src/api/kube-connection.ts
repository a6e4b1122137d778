import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { AdapterError, messageOf, redactCredentials, withoutTrailing } from '#kernel';
import { systemTiming, type Timing } from '../timing.ts';

/** Where the cluster's address and credentials come from. */
export type ConnectionSource =
  | { readonly kind: 'Kubeconfig'; readonly path: string; readonly context?: string }
  | { readonly kind: 'InCluster' }
  /** The kubeconfig itself, as YAML or JSON text. */
  | { readonly kind: 'Explicit'; readonly kubeconfig: string };

/** What one request needs; valid for some seconds. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  /** Texts that must never leave the process. */
  readonly secrets: readonly string[];
}

/** An API server and how to authenticate to it. Credentials are read again as they rotate. */
export interface KubeConnection {
  /** Without a trailing slash. */
  readonly server: string;
  readonly credentials: () => Promise<Credentials>;
  /** Forgets what is cached: after a 401. */
  readonly refresh: () => void;
  readonly close: () => Promise<void>;
}

/** Bound tokens and mounted certificates rotate within minutes to hours; client-go reads its token file once a minute. */
const credentialsLifetimeMilliseconds = 30_000;
/** Cloud load balancers drop idle connections after 60 s. */
const keepAliveInitialDelayMilliseconds = 30_000;
const connectTimeoutMilliseconds = 10_000;

/**
 * Opens a connection; nothing is sent yet.
 *
 * @throws AdapterError `InvalidKubeconfig` where there is no such file, context, cluster or service account.
 */
export function openConnection(source: ConnectionSource, timing: Timing = systemTiming): KubeConnection {
  const kubeConfig = loadKubeConfig(source);
  const server = kubeConfig.getCurrentCluster()?.server;
  if (server === undefined) throw invalid(`context ${kubeConfig.getCurrentContext()} names no cluster`);
  return new RotatingConnection(kubeConfig, withoutTrailing(server, '/'), timing);
}

function loadKubeConfig(source: ConnectionSource): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    readInto(kubeConfig, source);
  } catch (error) {
    throw invalid(messageOf(error));
  }
  if (source.kind === 'Kubeconfig' && source.context !== undefined) {
    if (kubeConfig.getContextObject(source.context) === null)
      throw invalid(`${source.path} has no context ${source.context}`);

    kubeConfig.setCurrentContext(source.context);
  }
  allowPlainLoopback(kubeConfig);
  return kubeConfig;
}

function readInto(kubeConfig: KubeConfig, source: ConnectionSource): void {
  switch (source.kind) {
    case 'Kubeconfig': {
      kubeConfig.loadFromFile(source.path);
      return;
    }
    case 'InCluster': {
      if (process.env['KUBERNETES_SERVICE_HOST'] === undefined)
        throw new Error('not in a pod: KUBERNETES_SERVICE_HOST is not set; name a kubeconfig');

      kubeConfig.loadFromCluster();
      return;
    }
    case 'Explicit': {
      kubeConfig.loadFromString(source.kubeconfig);
      return;
    }
  }
}

/** client-node refuses `http:` unless TLS is not verified; on this machine's own loopback there is nothing to verify. */
function allowPlainLoopback(kubeConfig: KubeConfig): void {
  const current = kubeConfig.getCurrentCluster();
  if (current?.server.startsWith('http:') !== true) return;
  const { hostname } = new URL(current.server);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw invalid(
      `${current.server}: http sends credentials in the clear, and is for loopback only; use https`,
    );
  }
  kubeConfig.clusters = kubeConfig.clusters.map((cluster) =>
    cluster === current ? { ...cluster, skipTLSVerify: true } : cluster,
  );
}

function invalid(message: string): AdapterError {
  return new AdapterError({
    code: 'InvalidKubeconfig',
    message: redactCredentials(message),
    retryable: false,
  });
}

interface Cached {
  readonly credentials: Credentials;
  readonly until: number;
}

class RotatingConnection implements KubeConnection {
  readonly server: string;
  readonly #kubeConfig: KubeConfig;
  readonly #timing: Timing;
  #cached: Cached | undefined;
  #loading: Promise<Credentials> | undefined;
  #dispatcher: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined;

  constructor(kubeConfig: KubeConfig, server: string, timing: Timing) {
    this.#kubeConfig = kubeConfig;
    this.server = server;
    this.#timing = timing;
  }

  credentials(): Promise<Credentials> {
    const cached = this.#cached;
    if (cached !== undefined && this.#timing.elapsed() < cached.until)
      return Promise.resolve(cached.credentials);
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  refresh(): void {
    this.#cached = undefined;
  }

  async close(): Promise<void> {
    await this.#dispatcher?.dispatcher.destroy();
  }

  async #load(): Promise<Credentials> {
    const options: RequestOptions = {};
    try {
      await this.#kubeConfig.applyToHTTPSOptions(options);
    } catch (error) {
      const message = redactCredentials(messageOf(error));
      throw new AdapterError({ code: 'CredentialsUnavailable', message, retryable: true });
    }
    const headers = headersOf(options);
    const dispatcher = this.#dispatcherFor(options);
    const credentials = { headers, dispatcher, secrets: secretsOf(headers) };
    this.#cached = { credentials, until: this.#timing.elapsed() + credentialsLifetimeMilliseconds };
    return credentials;
  }

  /** The same dispatcher, and so the same sockets, until a certificate changes; the old one ends with its last request. */
  #dispatcherFor(options: RequestOptions): Dispatcher {
    const fingerprint = fingerprintOf(options);
    if (this.#dispatcher?.fingerprint === fingerprint) return this.#dispatcher.dispatcher;
    void this.#dispatcher?.dispatcher.close();
    const dispatcher = createDispatcher(this.#kubeConfig, options);
    this.#dispatcher = { fingerprint, dispatcher };
    return dispatcher;
  }
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value);
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;

  return headers;
}

function secretsOf(headers: Readonly<Record<string, string>>): readonly string[] {
  const authorization = headers['Authorization'];
  return authorization === undefined ? [] : [authorization, authorization.replace(/^\w+\s+/, '')];
}

function fingerprintOf(options: RequestOptions): string {
  const hash = createHash('sha256');
  for (const part of [options.ca, options.cert, options.key]) hash.update(textOf(part)).update('\0');
  return hash.digest('hex');
}

/** client-node reads certificates and keys into buffers, whatever else TLS would take. */
function textOf(part: RequestOptions['ca'] | RequestOptions['key']): string | Buffer {
  return typeof part === 'string' || Buffer.isBuffer(part) ? part : '';
}

/** HTTP/1.1 only: a watch has a connection of its own, so one that died takes no other request with it. */
function createDispatcher(kubeConfig: KubeConfig, options: RequestOptions): Dispatcher {
  const limits = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  const connect = {
    ...tlsOf(options),
    keepAlive: true,
    keepAliveInitialDelay: keepAliveInitialDelayMilliseconds,
    timeout: connectTimeoutMilliseconds,
  };
  const proxy = kubeConfig.getCurrentCluster()?.proxyUrl;
  if (proxy === undefined || proxy === '') return new Agent({ ...limits, connect });
  if (proxy.startsWith('socks')) throw invalid('a SOCKS proxy-url is not supported; use an HTTP proxy');
  return new ProxyAgent({ ...limits, uri: proxy, requestTls: connect });
}

type TlsOptions = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): TlsOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}
