import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Metrics, openMetrics, type PrometheusServer } from '#adapter-metrics';
import type { ObservedMetric } from '#decision';
import type { MetricSpec } from '#policy';
import { createCertificateAuthority } from '../control-plane/pki/certificate-authority.ts';

const never = new AbortController().signal;
const authority = createCertificateAuthority('an authority');
const next = createCertificateAuthority('the next authority');
const certificate = authority.issue({ commonName: 'prometheus', hosts: ['127.0.0.1'] });
const client = authority.issue({ commonName: 'plimsoll' });
const seven = '{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}';

let folder: string;
let server: Server;
let metrics: Metrics;
let now: number;
let answer: RequestListener;
/** What the server was asked, in order. */
let asked: { readonly authorization: string | undefined; readonly client: string; readonly form: string }[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-prometheus-'));
  const { certificate: cert, privateKey: key } = certificate;
  const tls = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization } = request.headers;
      const { socket } = request;
      const isKnown = socket instanceof TLSSocket && socket.authorized;
      const subject = isKnown ? String(socket.getPeerCertificate().subject.CN) : 'nobody';
      asked.push({ authorization, client: subject, form: Buffer.concat(chunks).toString('utf8') });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  now = 0;
  asked = [];
  answer = (_, response) => response.end(seven);
  await writeFile(fileOf('ca.crt'), authority.certificate);
  await writeFile(fileOf('client.crt'), client.certificate);
  await writeFile(fileOf('client.key'), client.privateKey);
  await writeFile(fileOf('token'), 'first-token\n');
  open({ caFile: fileOf('ca.crt') });
});

afterEach(() => metrics.close());

describe('a Prometheus server over TLS', () => {
  it('is trusted by its authority, and sees the client certificate and the token', async () => {
    await reopen({
      caFile: fileOf('ca.crt'),
      certFile: fileOf('client.crt'),
      keyFile: fileOf('client.key'),
      bearerTokenFile: fileOf('token'),
      timeoutMilliseconds: 2_000,
    });
    expect(await ask('up')).toMatchObject({ values: ['7'] });
    expect(asked).toEqual([
      {
        authorization: 'Bearer first-token',
        client: 'plimsoll',
        form: 'query=up&timeout=2000ms&limit=10000',
      },
    ]);
  });

  it('is asked with the token that the file holds by then', async () => {
    await reopen({ caFile: fileOf('ca.crt'), bearerTokenFile: fileOf('token') });
    await ask('up');
    await writeFile(fileOf('token'), 'second-token');
    await ask('up');
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer first-token',
      'Bearer second-token',
    ]);
  });

  it('is trusted by the authority that the file holds within 10 s of its rotation', async () => {
    expect(await ask('up')).toMatchObject({ values: ['7'] });
    await writeFile(fileOf('ca.crt'), next.certificate);
    now += 10_000;
    expect(await ask('up')).toEqual(failed('not reachable (SELF_SIGNED_CERT_IN_CHAIN)'));
    await writeFile(fileOf('ca.crt'), `${next.certificate}\n${authority.certificate}`);
    now += 10_000;
    expect(await ask('up')).toMatchObject({ values: ['7'] });
  });

  it('keeps the token out of its errors', async () => {
    await reopen({ caFile: fileOf('ca.crt'), bearerTokenFile: fileOf('token') });
    answer = (request, response) =>
      response.writeHead(401).end(`refused: ${String(request.headers.authorization)}, first-token`);
    expect(await ask('up')).toEqual(failed('status 401: refused: Bearer …, …'));
  });

  it.each([
    { name: 'no token', token: '', want: 'holds no token: one line of visible ASCII characters' },
    { name: 'two lines', token: 'a\nb', want: 'holds no token: one line of visible ASCII characters' },
  ])('is not asked with a token file that has $name', async ({ token, want }) => {
    await writeFile(fileOf('token'), token);
    await reopen({ caFile: fileOf('ca.crt'), bearerTokenFile: fileOf('token') });
    expect(await ask('up')).toEqual(failed(`${JSON.stringify(fileOf('token'))} ${want}`));
    expect(asked).toEqual([]);
  });

  it('is an error that names the file where one is not there', async () => {
    await reopen({ caFile: fileOf('gone.crt') });
    expect(await ask('up')).toEqual(
      failed(`${JSON.stringify(fileOf('gone.crt'))} cannot be read: no such file or folder`),
    );
  });

  it('is not asked a query of more than 16,384 characters', async () => {
    expect(await ask('x'.repeat(16_385))).toEqual(failed('a query of 16385 characters, of at most 16384'));
    expect(asked).toEqual([]);
  });

  it('is an error beyond its own time, whatever it sends until then', async () => {
    await reopen({ caFile: fileOf('ca.crt'), timeoutMilliseconds: 500 });
    answer = (_, response) => response.write('{');
    expect(await ask('up')).toEqual(failed('no answer within 0.5 s'));
  });
});

function open(connection: Omit<PrometheusServer, 'name' | 'url'>): void {
  const api = { json: () => Promise.reject(new Error('no cluster')) };
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  metrics = openMetrics({
    resourceApi: api,
    customApi: api,
    externalApi: api,
    resourceNameOf: () => Promise.reject(new Error('no cluster')),
    prometheusServers: [{ name: 'main', url, ...connection }],
    recommenders: { cluster: 'test', hosts: [] },
    timing: { now: () => now, random: () => 0.5 },
  });
}

async function reopen(connection: Omit<PrometheusServer, 'name' | 'url'>): Promise<void> {
  await metrics.close();
  open(connection);
}

async function ask(query: string): Promise<ObservedMetric | undefined> {
  const target = { type: 'Value', valueMilli: 1n } as const;
  const metric: MetricSpec = { type: 'Prometheus', server: 'main', query, target, targetDocument: {} };
  const asking = { namespace: 'shop', selector: 'app=checkout', metrics: [metric] };
  const [entry] = await metrics.openTick().openNamespace().fetchMetrics(asking, never);
  return entry;
}

function failed(message: string): ObservedMetric {
  return { error: { reason: 'FailedGetPrometheusMetric', message: `Prometheus main: ${message}` } };
}

function fileOf(name: string): string {
  return join(folder, name);
}
