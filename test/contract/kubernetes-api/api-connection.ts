import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';

/** A request as the suite writes it. */
interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Sent instead of all that the kubeconfig has, client certificate included. */
  readonly token?: string;
}

/** An answer, its body parsed where it is JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** One line of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: unknown;
}

/** A server, reached by what its kubeconfig says. */
export interface ApiConnection {
  readonly call: (call: ApiCall) => Promise<ApiAnswer>;
  /** Reads a watch until `count` lines have come, or the server ends it. */
  readonly watch: (path: string, options: WatchOptions) => Promise<readonly WatchLine[]>;
  readonly close: () => Promise<void>;
}

/** How a watch is read. */
interface WatchOptions {
  readonly count: number;
  readonly accept?: string;
  /** Called once the server has opened the watch. */
  readonly opened?: () => Promise<unknown>;
}

/** As the kubeconfig has them; a server without TLS has none. */
interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The longest that any one answer may take. */
const timeoutMilliseconds = 10_000;
const userAgent = 'contract/1.0';

/** Connects with the real client's own reading of a kubeconfig. */
export async function connectWith(kubeconfig: string): Promise<ApiConnection> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const server = config.getCurrentCluster()?.server ?? '';
  const tls: RequestOptions = {};
  await config.applyToHTTPSOptions(tls);
  const { ca, cert, key } = tls;
  const agent = new Agent({ connect: { ca, cert, key } as TlsFiles });
  const stranger = new Agent({ connect: { ca } as TlsFiles });
  const bearer = config.getCurrentUser()?.token;
  const headersOf = (call: Pick<ApiCall, 'accept' | 'contentType' | 'token'>): Record<string, string> => {
    const token = call.token ?? bearer;
    return {
      'user-agent': userAgent,
      accept: call.accept ?? 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
    };
  };
  return {
    call: async ({ method = 'GET', path, body, ...rest }) => {
      const response = await request(new URL(path, server), {
        dispatcher: rest.token === undefined ? agent : stranger,
        method,
        headers: headersOf({ contentType: 'application/json', ...rest }),
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      return {
        status: response.statusCode,
        headers: response.headers,
        body: parse(await response.body.text()),
      };
    },
    watch: async (path, { count, accept, opened }) => {
      const response = await request(new URL(path, server), {
        dispatcher: agent,
        headers: headersOf(accept === undefined ? {} : { accept }),
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      await opened?.();
      return readLines(response.body, count);
    },
    close: async () => {
      await agent.destroy();
      await stranger.destroy();
    },
  };
}

async function readLines(body: AsyncIterable<Buffer>, count: number): Promise<readonly WatchLine[]> {
  const lines: WatchLine[] = [];
  let rest = '';
  for await (const chunk of body) {
    const parts = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part) as WatchLine);
    // Leaving the loop closes the connection, as a client does that has seen enough.
    if (lines.length >= count) break;
  }
  return lines.slice(0, count);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
