import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { AdapterError, messageOf } from '#kernel';
import { lookupOutsideLinkLocal } from './bounded-request.ts';
import { readSmallFile } from './tls-files.ts';

/** How a server is authenticated, and how to authenticate to it. The files are read anew as they are rotated. */
export interface TlsOptions {
  /** The authorities that are trusted, as PEM, in place of the system's. */
  readonly caFile?: string;
  /** The client's certificate, and its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The name in its certificate, where that is not the URL's. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
}

/** Connections of one server, and how they are made. */
export interface TlsDispatcherOptions {
  readonly tls: TlsOptions;
  readonly maximumConnections: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** A rotated certificate is used after at most as long. */
const filesLifetimeMilliseconds = 10_000;
const connectTimeoutMilliseconds = 5_000;

interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface Loaded {
  readonly agent: Agent;
  readonly files: TlsFiles;
  readonly until: number;
}

/** Connections to one server, made anew when its certificate files have changed. */
export class TlsDispatcher {
  readonly #options: TlsDispatcherOptions;
  #loaded: Loaded | undefined;
  #loading: Promise<Agent> | undefined;

  constructor(options: TlsDispatcherOptions) {
    this.#options = options;
  }

  /** @throws AdapterError `FileUnreadable`, `InvalidTls` */
  dispatcher(): Promise<Dispatcher> {
    const loaded = this.#loaded;
    if (loaded !== undefined && this.#options.now() < loaded.until) return Promise.resolve(loaded.agent);
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async close(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    await this.#loaded?.agent.destroy();
  }

  async #load(): Promise<Agent> {
    const files = await readTlsFiles(this.#options.tls);
    const until = this.#options.now() + filesLifetimeMilliseconds;
    const before = this.#loaded;
    if (before !== undefined && isSameFiles(before.files, files)) {
      this.#loaded = { ...before, until };
      return before.agent;
    }
    const agent = this.#createAgent(files);
    this.#loaded = { agent, files, until };
    // Its requests end first.
    void before?.agent.close();
    return agent;
  }

  #createAgent(files: TlsFiles): Agent {
    const { tls, maximumConnections } = this.#options;
    const { serverName, insecureSkipVerify = false, minVersion, maxVersion } = tls;
    const options = {
      ...files,
      ...(minVersion === undefined ? {} : { minVersion }),
      ...(maxVersion === undefined ? {} : { maxVersion }),
    };
    requireUsable(options);
    return new Agent({
      allowH2: false,
      connections: maximumConnections,
      connect: {
        ...options,
        ...(serverName === undefined ? {} : { servername: serverName }),
        rejectUnauthorized: !insecureSkipVerify,
        timeout: connectTimeoutMilliseconds,
        lookup: lookupOutsideLinkLocal,
      },
    });
  }
}

async function readTlsFiles({ caFile, certFile, keyFile }: TlsOptions): Promise<TlsFiles> {
  const read = async (name: keyof TlsFiles, file: string | undefined): Promise<TlsFiles> =>
    file === undefined ? {} : { [name]: await readSmallFile(file) };
  const [ca, cert, key] = await Promise.all([
    read('ca', caFile),
    read('cert', certFile),
    read('key', keyFile),
  ]);
  return { ...ca, ...cert, ...key };
}

function isSameFiles(a: TlsFiles, b: TlsFiles): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

/** What OpenSSL would ignore, or fail on at each connection, is an error at once. */
function requireUsable(options: SecureContextOptions & TlsFiles): void {
  const { ca, cert, key, minVersion, maxVersion } = options;
  if ((cert === undefined) !== (key === undefined))
    throw invalid('a client certificate and its key go together');
  if (minVersion !== undefined && maxVersion !== undefined && minVersion > maxVersion)
    throw invalid(`${minVersion} is above ${maxVersion}`);
  try {
    // A context takes any text for authorities.
    if (ca !== undefined) new X509Certificate(ca);
    createSecureContext(options);
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function invalid(why: string): AdapterError {
  const message = `the TLS settings cannot be used: ${why}`;
  return new AdapterError({ code: 'InvalidTls', message, retryable: true });
}
