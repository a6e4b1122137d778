import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { CertificateFiles } from './pki/credentials.ts';

/** One request to a Kubernetes server. */
interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path with query: `/apis/apps/v1/namespaces/shop/deployments`. */
  readonly path: string;
  /** Sent as JSON; a PATCH is a merge patch. */
  readonly body?: unknown;
}

/** The answer; `body` is parsed where it is JSON, else text. */
interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Speaks to one server with one client certificate; the tests' own clients use the kubeconfig instead. */
export type ApiClient = (request: ApiRequest) => Promise<ApiResponse>;

const timeoutMilliseconds = 10_000;

/** Makes a client; connections are not kept, so nothing holds a test's process. */
export function createApiClient(server: string, authority: string, client: CertificateFiles): ApiClient {
  const agent = new Agent({
    ca: readFileSync(authority),
    cert: readFileSync(client.certificate),
    key: readFileSync(client.privateKey),
  });
  return ({ method = 'GET', path, body }) =>
    new Promise((resolve, reject) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const outgoing = request(new URL(path, server), {
        agent,
        method,
        headers: { accept: 'application/json', 'content-type': contentType },
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      outgoing.once('error', reject);
      outgoing.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }),
        );
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/**
 * Creates an object, or leaves the one of that name.
 *
 * @throws Error with the server's message for any other answer than 201 or 409.
 */
export async function createIfAbsent(api: ApiClient, path: string, body: object): Promise<void> {
  const response = await api({ method: 'POST', path, body });
  if (response.status === 201 || response.status === 409) return;
  throw new Error(`POST ${path} was answered with ${response.status}: ${JSON.stringify(response.body)}`);
}

function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
