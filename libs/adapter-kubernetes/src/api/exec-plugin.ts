import { execFile } from 'node:child_process';
import { AdapterError, cutText, isJsonObject, type JsonObject, redactCredentials } from '#kernel';
import { object, objects, text } from './kube-object.ts';

/** What a plugin gave: a bearer token, a client certificate with its key, or both. */
export interface PluginCredentials {
  readonly token: string;
  readonly certificate: string;
  readonly key: string;
}

/** A plugin asks a cloud's API; one that takes longer hangs. */
const defaultTimeoutMilliseconds = 15_000;
const maximumOutputBytes = 1024 * 1024;
const maximumComplaintLength = 300;

/**
 * A credential plugin of a kubeconfig (`users[].user.exec`), run as client-go runs it but never without a bound: one that
 * hangs is killed, and the next request runs it again.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export class ExecPlugin {
  readonly #spec: JsonObject;
  readonly #timeoutMilliseconds: number;
  #known: { readonly credentials: PluginCredentials; readonly expires: number } | undefined;

  constructor(spec: JsonObject, timeoutMilliseconds = defaultTimeoutMilliseconds) {
    this.#spec = spec;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Whether it runs the same command in the same way. */
  isOf(spec: JsonObject): boolean {
    return JSON.stringify(spec) === JSON.stringify(this.#spec);
  }

  /** What the plugin gave last, while that is valid. @throws AdapterError `CredentialsUnavailable` */
  async credentials(now: number): Promise<PluginCredentials> {
    if (this.#known !== undefined && now < this.#known.expires) return this.#known.credentials;
    const status = statusOf(await this.#run());
    const expires = Date.parse(text(status['expirationTimestamp']));
    const credentials = {
      token: text(status['token']),
      certificate: text(status['clientCertificateData']),
      key: text(status['clientKeyData']),
    };
    this.#known = { credentials, expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires };
    return credentials;
  }

  /** Runs the plugin again for the next request: the server has refused what it gave. */
  forget(): void {
    this.#known = undefined;
  }

  #run(): Promise<string> {
    const command = text(this.#spec['command']);
    const args = Array.isArray(this.#spec['args']) ? this.#spec['args'].map((arg) => text(arg)) : [];
    const options = {
      env: this.#environment(),
      timeout: this.#timeoutMilliseconds,
      killSignal: 'SIGKILL',
      maxBuffer: maximumOutputBytes,
      windowsHide: true,
    } as const;
    return new Promise((resolve, reject) => {
      execFile(command, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(unavailable(`${command}: ${complaintOf(error, stderr, this.#timeoutMilliseconds)}`));
      });
    });
  }

  #environment(): NodeJS.ProcessEnv {
    const own = objects(this.#spec['env']).map(
      (entry) => [text(entry['name']), text(entry['value'])] as const,
    );
    const { apiVersion = 'client.authentication.k8s.io/v1' } = this.#spec;
    const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
    return { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(info), ...Object.fromEntries(own) };
  }
}

function complaintOf(error: Error & { readonly killed?: boolean }, stderr: string, timeout: number): string {
  if (error.killed === true) return `no answer within ${timeout} ms`;
  const complaint = stderr.trim() === '' ? error.message : stderr.trim();
  return cutText(redactCredentials(complaint), maximumComplaintLength);
}

function statusOf(output: string): JsonObject {
  let credential: unknown;
  try {
    credential = JSON.parse(output);
  } catch {
    // Reported below; the output may hold a credential, and is not shown.
  }
  const status = isJsonObject(credential) ? object(credential['status']) : {};
  if (text(status['token']) === '' && text(status['clientCertificateData']) === '')
    throw unavailable('a credential plugin gave neither a token nor a client certificate');

  return status;
}

function unavailable(message: string): AdapterError {
  return new AdapterError({ code: 'CredentialsUnavailable', message, retryable: true });
}
