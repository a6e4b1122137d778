import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { AdapterError, messageOf, redactCredentials } from '#kernel';
import { systemTiming, type Timing } from '../time/timing.ts';
import { ExecPlugin } from './exec-plugin.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import {
  type ConnectionSource,
  invalidKubeconfig,
  type LoadedKubeconfig,
  loadKubeconfig,
} from './load-kubeconfig.ts';
import { withDeadline } from './with-deadline.ts';

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

/** An identity provider that is asked for a token may hang. */
const loadTimeoutMilliseconds = 20_000;

/**
 * Opens a connection; nothing is sent yet. The kubeconfig, its token and certificate files and its credential plugin are
 * read again as they are renewed; a kubeconfig that cannot be read any more, or that names another server, changes
 * nothing: another server may be another cluster, and takes a restart.
 *
 * @throws AdapterError `InvalidKubeconfig` where there is no such file, context, cluster or service account.
 */
export function openConnection(source: ConnectionSource, timing: Timing = systemTiming): KubeConnection {
  return new RotatingConnection(source, timing);
}

interface Cached {
  readonly credentials: Credentials;
  readonly until: number;
}

class RotatingConnection implements KubeConnection {
  readonly server: string;
  readonly #source: ConnectionSource;
  readonly #timing: Timing;
  #loaded: LoadedKubeconfig;
  #plugin: ExecPlugin | undefined;
  #cached: Cached | undefined;
  #loading: Promise<Credentials> | undefined;
  /** What the files had when they could be used last; undefined: they never could, or the API server has refused it. */
  #usable: RequestOptions | undefined;
  #dispatcher: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined;

  constructor(source: ConnectionSource, timing: Timing) {
    this.#source = source;
    this.#timing = timing;
    this.#loaded = loadKubeconfig(source);
    this.server = this.#loaded.server;
  }

  credentials(): Promise<Credentials> {
    const cached = this.#cached;
    if (cached !== undefined && this.#timing.elapsed() < cached.until)
      return Promise.resolve(cached.credentials);
    this.#loading ??= withDeadline(
      { timeoutMilliseconds: loadTimeoutMilliseconds, what: 'credentials of the cluster' },
      () => this.#load(),
    ).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  refresh(): void {
    this.#cached = undefined;
    this.#usable = undefined;
    this.#plugin?.forget();
  }

  async close(): Promise<void> {
    await this.#dispatcher?.dispatcher.destroy();
  }

  async #load(): Promise<Credentials> {
    this.#reload();
    const options = { ...(await this.#readOptions()) };
    const headers = headersOf(options);
    if (this.#plugin !== undefined) {
      const { token, certificate, key } = await this.#plugin.credentials(this.#timing.now());
      if (token !== '') headers['Authorization'] = `Bearer ${token}`;
      if (certificate !== '') Object.assign(options, { cert: certificate, key });
    }
    const dispatcher = this.#dispatcherFor(options);
    const credentials = { headers, dispatcher, secrets: secretsOf(headers) };
    this.#cached = { credentials, until: this.#timing.elapsed() + credentialsLifetimeMilliseconds };
    return credentials;
  }

  async #readOptions(): Promise<RequestOptions> {
    try {
      const options = await this.#loaded.kubeconfig.requestOptions();
      // A certificate is renewed in two files, and for a moment belongs to the key of the other.
      if (this.#usable !== undefined) createSecureContext(tlsOf(options));
      this.#usable = options;
      return options;
    } catch (error) {
      // What is being renewed goes on to be used until the API server does not take it any more.
      if (this.#usable !== undefined) return this.#usable;
      const message = redactCredentials(messageOf(error));
      throw new AdapterError({ code: 'CredentialsUnavailable', message, retryable: true });
    }
  }

  #reload(): void {
    try {
      const next = loadKubeconfig(this.#source);
      if (next.server === this.server) this.#loaded = next;
    } catch {
      // It is being written, or was removed: what was read before goes on to be used.
    }
    const { exec } = this.#loaded;
    if (exec === undefined) this.#plugin = undefined;
    else if (this.#plugin?.isOf(exec) !== true) this.#plugin = new ExecPlugin(exec);
  }

  /** The same dispatcher, and so the same sockets, until a certificate changes; the old one ends with its last request. */
  #dispatcherFor(options: RequestOptions): Dispatcher {
    const fingerprint = fingerprintOf(options);
    if (this.#dispatcher?.fingerprint === fingerprint) return this.#dispatcher.dispatcher;
    void this.#dispatcher?.dispatcher.close();
    const dispatcher = createDispatcher(this.#loaded.kubeconfig, options);
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

/** Certificates and keys are read into buffers, whatever else TLS would take. */
function textOf(part: RequestOptions['ca'] | RequestOptions['key']): string | Buffer {
  return typeof part === 'string' || Buffer.isBuffer(part) ? part : '';
}

/** HTTP/1.1 only: a watch has a connection of its own, so one that died takes no other request with it. */
function createDispatcher({ cluster }: Kubeconfig, options: RequestOptions): Dispatcher {
  const limits = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  const connect = {
    ...tlsOf(options),
    keepAlive: true,
    keepAliveInitialDelay: keepAliveInitialDelayMilliseconds,
    timeout: connectTimeoutMilliseconds,
  };
  const proxy = cluster?.proxyUrl;
  if (proxy === undefined || proxy === '') return new Agent({ ...limits, connect });
  if (proxy.startsWith('socks'))
    throw invalidKubeconfig('a SOCKS proxy-url is not supported; use an HTTP proxy');
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
