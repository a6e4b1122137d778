import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Timing } from '../time/timing.ts';
import { ApiClient } from './api-client.ts';
import { type KubeConnection, openConnection } from './kube-connection.ts';

const secret = 'a-very-secret-token';
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let handler: Handler;
let server: Server;
let connection: KubeConnection;
const waits: number[] = [];
const timing: Timing = {
  now: () => 0,
  elapsed: () => 0,
  random: () => 0,
  wait: (ms) => {
    waits.push(ms);
    return Promise.resolve();
  },
};

beforeEach(async () => {
  waits.length = 0;
  server = createServer((request, response) => handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  connection = openConnection({ kind: 'Explicit', kubeconfig: kubeconfigFor(server) });
});

afterEach(async () => {
  await connection.close();
  server.closeAllConnections();
  server.close();
});

describe('ApiClient', () => {
  it('sends the credentials, the query and the body, and parses the answer', async () => {
    handler = (request, response) => {
      const { url, method, headers } = request;
      response.end(
        JSON.stringify({ url, method, authorization: headers.authorization, type: headers['content-type'] }),
      );
    };
    const client = new ApiClient(connection);
    const answer = await client.json({
      method: 'PUT',
      path: '/x',
      query: { a: 'b=c', none: undefined },
      body: {},
    });
    expect(answer).toEqual({
      url: '/x?a=b%3Dc',
      method: 'PUT',
      authorization: `Bearer ${secret}`,
      type: 'application/json',
    });
  });

  it.each([
    { status: 404, code: 'NotFound', retryable: false },
    { status: 403, code: 'Forbidden', retryable: false },
    { status: 409, code: 'Conflict', retryable: true },
    { status: 410, code: 'Expired', retryable: true },
    { status: 413, code: 'RequestTooLarge', retryable: false },
    { status: 422, code: 'Invalid', retryable: false },
    { status: 500, code: 'ServerError', retryable: true },
    { status: 302, code: 'UnexpectedStatus', retryable: false },
  ])('turns status $status into $code', async ({ status, code, retryable }) => {
    handler = (_, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' });
      response.end(JSON.stringify({ kind: 'Status', message: 'pods "x" it is' }));
    };
    const call = new ApiClient(connection).json({ path: '/x' });
    await expect(call).rejects.toMatchObject({
      code,
      retryable,
      message: `GET /x: ${status} pods "x" it is`,
    });
  });

  const byWebhook = 'admission webhook "a.example" denied the request: no';
  const byPolicy = `scales.autoscaling "x" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no`;
  it.each([
    ...[401, 404, 409, 410, 429, 500, 504].map((status) => ({ status, message: byWebhook })),
    { status: 401, message: byPolicy },
    { status: 401, message: byPolicy.replace(" with binding 'b'", '') },
  ])(
    'takes status $status for a refusal where admission chose it, and says: $message',
    async ({ status, message }) => {
      handler = (_, response) => {
        response.statusCode = status;
        response.end(JSON.stringify({ message }));
      };
      const call = new ApiClient(connection).json({ method: 'PUT', path: '/x', body: {} });
      await expect(call).rejects.toMatchObject({ code: 'Forbidden', retryable: false });
    },
  );

  it('takes a webhook that could not be asked for a write that was not made, and names it', async () => {
    const said = 'Internal error occurred: failed calling webhook "a.example": failed to call webhook: EOF';
    handler = (_, response) => {
      response.statusCode = 500;
      response.end(JSON.stringify({ message: said }));
    };
    const call = new ApiClient(connection).json({ method: 'PUT', path: '/x', body: {} });
    await expect(call).rejects.toMatchObject({
      code: 'WebhookFailed',
      retryable: false,
      message: `PUT /x: 500 ${said}`,
    });
  });

  it('keeps the token out of an error that repeats it', async () => {
    handler = (request, response) => {
      response.statusCode = 400;
      response.end(`<html>you sent ${String(request.headers.authorization)}, ${secret}</html>`);
    };
    const error = await new ApiClient(connection).json({ path: '/x' }).catch((thrown: unknown) => thrown);
    expect(String(error)).toBe('AdapterError: GET /x: 400 <html>you sent …, …</html>');
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it('waits as long as Retry-After says, and then succeeds', async () => {
    let refusals = 2;
    handler = (_, response) => {
      if (refusals-- > 0) {
        response.writeHead(429, { 'retry-after': '3' });
        response.end('{}');
      } else {
        response.end('{"ok":true}');
      }
    };
    expect(await new ApiClient(connection, { timing }).json({ path: '/x' })).toEqual({ ok: true });
    expect(waits).toEqual([3000, 3000]);
  });

  it('gives up on a server that refuses for ever', async () => {
    handler = (_, response) => {
      response.writeHead(429);
      response.end('{}');
    };
    const call = new ApiClient(connection, { timing }).json({ path: '/x' });
    await expect(call).rejects.toMatchObject({ code: 'TooManyRequests', retryable: true });
    expect(waits).toEqual([1000, 1000, 1000, 1000]);
  });

  it('names the refusal of a server that wants to be left alone for longer than the request may take', async () => {
    handler = (_, response) => {
      response.writeHead(429, { 'retry-after': '60' });
      response.end('{"kind":"Status","message":"too many requests"}');
    };
    const call = new ApiClient(connection).json({ path: '/x', timeoutMilliseconds: 500 });
    await expect(call).rejects.toMatchObject({
      code: 'TooManyRequests',
      retryable: true,
      message: 'GET /x: 429 too many requests',
    });
  });

  it('asks once more with fresh credentials after a 401', async () => {
    let calls = 0;
    handler = (_, response) => {
      calls += 1;
      response.statusCode = calls === 1 ? 401 : 200;
      response.end('{}');
    };
    expect(await new ApiClient(connection).json({ path: '/x' })).toEqual({});
    expect(calls).toBe(2);
  });

  it.each([
    { method: 'GET', want: { answer: {}, calls: 2 } },
    { method: 'PUT', want: { answer: { code: 'Unreachable', retryable: true }, calls: 1 } },
  ] as const)(
    'of a connection that ends without an answer: $method, $want.calls times',
    async ({ method, want }) => {
      let calls = 0;
      handler = (request, response) => {
        calls += 1;
        if (calls === 1) request.socket.destroy();
        else response.end('{}');
      };
      const answer = await new ApiClient(connection)
        .json({ method, path: '/x' })
        .catch((error: unknown) => error);
      expect(answer).toMatchObject(want.answer);
      expect(calls).toBe(want.calls);
    },
  );

  it('ends a call that gets no answer at its timeout', async () => {
    handler = () => undefined;
    const call = new ApiClient(connection).json({ path: '/x', timeoutMilliseconds: 50 });
    await expect(call).rejects.toMatchObject({
      code: 'Timeout',
      retryable: true,
      message: 'GET /x: no answer within 50 ms',
    });
  });

  it('ends a call with the signal of its caller', async () => {
    handler = () => undefined;
    const controller = new AbortController();
    const call = new ApiClient(connection).json({ path: '/x', signal: controller.signal });
    controller.abort(new Error('the pass is over'));
    await expect(call).rejects.toThrow('the pass is over');
  });

  it.each([
    { name: 'too large', body: `{"a":"${'x'.repeat(2000)}"}`, code: 'TooLarge' },
    { name: 'no JSON', body: '<html>', code: 'Malformed' },
  ])('refuses an answer that is $name', async ({ body, code }) => {
    handler = (_, response) => response.end(body);
    const call = new ApiClient(connection).json({ path: '/x', maximumBytes: 1000 });
    await expect(call).rejects.toMatchObject({ code });
  });

  it('reports a server that is not there', async () => {
    server.close();
    server.closeAllConnections();
    const call = new ApiClient(connection).json({ path: '/x' });
    await expect(call).rejects.toMatchObject({ code: 'NotConnected', retryable: true });
  });

  it('sends at most so many requests at a time', async () => {
    const pending: ServerResponse[] = [];
    let most = 0;
    handler = (_, response) => {
      pending.push(response);
      most = Math.max(most, pending.length);
      if (pending.length === 3) setTimeout(() => pending.splice(0).forEach((held) => held.end('{}')), 20);
    };
    const client = new ApiClient(connection, { maximumConcurrency: 3 });
    await Promise.all(Array.from({ length: 21 }, () => client.json({ path: '/x' })));
    expect(most).toBe(3);
  });

  it('reads a stream line by line, however it is cut', async () => {
    handler = (_, response) => {
      response.write('{"a":');
      response.write('1}\n\n{"b":2}\n{"unfin');
      response.end('ished"');
    };
    const { signal } = new AbortController();
    const lines = await new ApiClient(connection).lines({ path: '/x', signal });
    expect(await collect(lines)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('refuses a line without end', async () => {
    handler = (_, response) => response.end('x'.repeat(5000));
    const { signal } = new AbortController();
    const lines = await new ApiClient(connection).lines({ path: '/x', signal, maximumBytes: 1000 });
    await expect(collect(lines)).rejects.toMatchObject({ code: 'TooLarge' });
  });
});

async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

function kubeconfigFor(listening: Server): string {
  const { port } = listening.address() as AddressInfo;
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: { token: secret } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
