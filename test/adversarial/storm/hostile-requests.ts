import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { viewerToken } from '../../e2e/support/controller-process.ts';
import type { Random } from '../../support/random.ts';

type Send = (url: string) => Promise<unknown>;

/** Callers that want too much, say nonsense, or say nothing. */
const requests: readonly Send[] = [
  (url) => graphql(url, `{ ${aliases(60, 'decisions(first: 100) { edges { node { input } } }')} }`),
  (url) => graphql(url, `{ ${aliases(500, 'policies(first: 100) { edges { node { name } } }')} }`),
  (url) =>
    graphql(
      url,
      `
        {
          policies(first: 100) {
            edges {
              node {
                decisions(first: 100) {
                  edges {
                    node {
                      reason
                    }
                  }
                }
              }
            }
          }
        }
      `,
    ),
  (url) =>
    graphql(
      url,
      `
        ${'{ policies { edges { node '.repeat(200)}
        {
          name
        }
        ${' } } }'.repeat(200)}
      `,
    ),
  (url) => graphql(url, `mutation { syncSource(source: "${'x'.repeat(20_000)}") { result } }`),
  (url) => post(url, '{"query": "{ __typename', 'application/json'),
  (url) => post(url, '{"__proto__": {"query": 1}}', 'application/json'),
  (url) => post(url, 'x'.repeat(1024 * 1024), 'application/json'),
  (url) => post(url, 'a=b', 'application/x-www-form-urlencoded'),
  (url) =>
    fetch(`${url}/webhooks/policies`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-hub-signature-256': 'sha256=00' },
      signal: limit(),
    }),
  (url) => fetch(`${url}/no/such/path`, { signal: limit() }),
  trickle,
];

/** Sends one of them; whatever the answer, none is an answer, too. */
export async function sendHostileRequest(url: string, random: Random): Promise<void> {
  try {
    const answer = await random.pick(requests)(url);
    if (answer instanceof Response) await answer.arrayBuffer();
  } catch {
    // Refused, cut off or too slow: the storm asks only that the others are served.
  }
}

function graphql(url: string, query: string): Promise<Response> {
  return post(url, JSON.stringify({ query }), 'application/json');
}

function post(url: string, body: string, contentType: string): Promise<Response> {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    body,
    headers: { 'content-type': contentType, authorization: `Bearer ${viewerToken}` },
    signal: limit(),
  });
}

/** A body that comes a byte at a time, from several sockets at once. */
async function trickle(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => socket.destroy());
    socket.write('POST /webhooks/policies HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{');
    return socket;
  });
  await sleep(1_500);
  for (const socket of sockets) socket.destroy();
}

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
}

function limit(): AbortSignal {
  return AbortSignal.timeout(5_000);
}
