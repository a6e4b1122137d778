import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the forge got it. */
export interface ForgeRequestSeen {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

/** What the forge answers; `undefined` as body is an empty one. */
export interface ForgeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Answerer = (request: ForgeRequestSeen) => ForgeAnswer | Promise<ForgeAnswer>;

/** A forge's API on loopback, which answers as its public documentation says. */
export interface ForgeServer {
  readonly url: string;
  readonly requests: readonly ForgeRequestSeen[];
  /** From now on: `answer('GET /repos/a/b/pulls', …)`; the query does not count. The default is 404. */
  readonly answer: (route: string, answer: ForgeAnswer | Answerer) => void;
  readonly stop: () => Promise<void>;
}

/** Starts a forge that lets in who sends that header. */
export async function startForgeServer(credential: {
  readonly header: string;
  readonly value: () => string;
}): Promise<ForgeServer> {
  const requests: ForgeRequestSeen[] = [];
  const answers = new Map<string, Answerer>();
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const { method = 'GET', url = '/', headers } = request;
      const seen = { method, path: url, body, headers };
      requests.push(seen);
      if (headers[credential.header] !== credential.value()) {
        send(response, { status: 401, body: { message: 'Bad credentials' } });
        return;
      }
      const answer = answers.get(`${method} ${url.split('?', 1)[0] ?? ''}`);
      send(response, (await answer?.(seen)) ?? { status: 404, body: { message: 'Not Found' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (route, answer) => answers.set(route, typeof answer === 'function' ? answer : () => answer),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: ForgeAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}
