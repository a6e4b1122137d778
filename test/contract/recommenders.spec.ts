import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Metrics, openMetrics } from '#adapter-metrics';
import type { RecommenderSpec } from '#policy';
import type { RecommendationReading, RecommendersPort } from '#reconciliation';
import { FakeRecommenders } from '#reconciliation/testing';
import { createCertificateAuthority } from '../control-plane/pki/certificate-authority.ts';

const never = new AbortController().signal;
const authority = createCertificateAuthority('recommenders');
const stranger = createCertificateAuthority('another authority');
const certificate = authority.issue({ commonName: 'recommender', hosts: ['recommender.example'] });
const client = authority.issue({ commonName: 'plimsoll' });

let folder: string;
let tlsFolder: string;
let plain: Server;
let secure: Server;
let metrics: Metrics;
let now: number;
/** What the servers were sent, in order. */
let asked: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: unknown }[];
let answer: RequestListener;

const listener: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    asked.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    answer(request, response);
  });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-recommenders-'));
  tlsFolder = join(folder, 'tls');
  await mkdir(tlsFolder);
  const files = {
    'tls/ca.crt': authority.certificate,
    'tls/stranger.crt': stranger.certificate,
    'tls/client.crt': client.certificate,
    'tls/client.key': client.privateKey,
    'tls/none.crt': 'no certificate',
    'outside.crt': authority.certificate,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await symlink(join(folder, 'outside.crt'), join(tlsFolder, 'link.crt'));
  plain = createServer(listener);
  secure = createTlsServer(
    {
      key: certificate.privateKey,
      cert: certificate.certificate,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    listener,
  );
  for (const server of [plain, secure]) await new Promise<void>((end) => server.listen(0, '127.0.0.1', end));
});

afterAll(async () => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  asked = [];
  now = 0;
  answer = (_, response) => response.end(JSON.stringify({ targetReplicas: 7 }));
  open({ tlsFolder });
});

afterEach(() => metrics.close());

describe.each([
  {
    name: 'the fake',
    port: (): RecommendersPort => {
      const fake = new FakeRecommenders();
      fake.answer = { replicas: 7 };
      return fake;
    },
  },
  { name: 'the adapter', port: (): RecommendersPort => metrics.recommenders },
])('the recommenders port of $name', ({ port }) => {
  it('gives the recommendation', async () => {
    expect(await port().recommend(queryOf(aRecommender()), never)).toEqual({ replicas: 7 });
  });
});

describe('a recommender', () => {
  it('is sent the target, the counts, the bounds, the marks and its settings', async () => {
    await recommend({ targetType: 'cpu', settings: { model: 'weekly' } });
    expect(asked).toEqual([
      {
        headers: expect.objectContaining({
          'content-type': 'application/json',
          'user-agent': 'wpa-controller',
        }),
        body: {
          targetRef: {
            kind: 'Deployment',
            name: 'checkout',
            apiVersion: 'apps/v1',
            namespace: 'shop',
            cluster: 'production',
          },
          state: { desiredReplicas: 4, currentReplicas: 4, readyReplicas: 3 },
          constraints: { minReplicas: 2, maxReplicas: 12 },
          targets: [{ type: 'cpu', lowerBound: 0.5, upperBound: 0.9 }],
          settings: { model: 'weekly' },
        },
      },
    ]);
  });

  it.each([
    {
      name: 'a page with status 200',
      listener: text(200, '<html>Please log in</html>'),
      want: 'the answer is no JSON; it begins with "<html>Please log in</html>"',
    },
    {
      name: 'an error',
      listener: text(500, `broken ${'x'.repeat(500)}`),
      want: `status 500: broken ${'x'.repeat(93)}`,
    },
    { name: 'a redirect', listener: redirect, want: 'status 302: redirects are not followed' },
    {
      name: '10 MB',
      listener: text(200, ' '.repeat(10 * 1024 * 1024)),
      want: 'an answer of more than 65536 bytes',
    },
    { name: 'its end without an answer', listener: hangUp, want: 'not reachable (UND_ERR_SOCKET)' },
    {
      name: 'its own error',
      listener: text(200, '{"error": {"code": 14, "message": "no model"}}'),
      want: 'the recommender answers with error 14: no model',
    },
  ])('that answers with $name is an error that says so', async ({ listener: given, want }) => {
    answer = given;
    expect(await recommend()).toEqual(failed(want));
    expect(asked).toHaveLength(1);
  });

  it.each([
    { name: 'does not begin to answer', begin: () => undefined },
    {
      name: 'never ends its answer',
      begin: (response: { write: (text: string) => void }) => response.write('{'),
    },
  ])('that $name is given up with its pass', async ({ begin }) => {
    const pass = new AbortController();
    answer = (_, response) => {
      begin(response);
      setImmediate(() => pass.abort(new Error('the pass has ended')));
    };
    const asking = metrics.recommenders.recommend(queryOf(aRecommender()), pass.signal);
    await expect(asking).rejects.toThrow('the pass has ended');
    expect(sourceOf('recommender/').running).toBe(0);
  });

  it('is asked only where the configuration names it, and never at a link-local address', async () => {
    expect(await recommend({ url: 'http://elsewhere.example/' })).toEqual({
      error: {
        reason: 'FailedGetResourceMetric',
        message: 'elsewhere.example is no recommender of the configuration',
      },
    });
    await metrics.close();
    open({ hosts: ['169.254.169.254'] });
    expect(await recommend({ url: 'http://169.254.169.254/latest' })).toMatchObject({
      error: { message: expect.stringContaining('is a link-local address') },
    });
  });

  it('that cannot be reached five times is not asked for a while, and then again', async () => {
    const dead = await unusedPort();
    const url = `http://127.0.0.1:${dead}/`;
    await metrics.close();
    open({ hosts: [`127.0.0.1:${dead}`, hostOf(plain)] });
    for (let call = 0; call < 5; call += 1) {
      expect(await recommend({ url })).toMatchObject({
        error: { message: `recommender 127.0.0.1:${dead}: not reachable (ECONNREFUSED)` },
      });
    }
    expect(await recommend({ url })).toMatchObject({
      error: {
        message: expect.stringContaining('not asked for a while, since it did not answer: not reachable'),
      },
    });
    expect(sourceOf(`recommender/127.0.0.1:${dead}`)).toMatchObject({
      breaker: 'Open',
      calls: { succeeded: 0, failed: 5, refused: 1 },
    });
    expect(await recommend()).toEqual({ replicas: 7 });
    now += 60_000;
    expect(sourceOf(`recommender/127.0.0.1:${dead}`).breaker).toBe('HalfOpen');
  });
});

describe('TLS of a recommender', () => {
  it('trusts the authority and shows the certificate that tlsConfig names, relative to the folder or absolute', async () => {
    const reached: boolean[] = [];
    answer = (request, response) => {
      reached.push((request.socket as unknown as { authorized: boolean }).authorized);
      response.end('{"targetReplicas": 7}');
    };
    const tls = {
      caFile: 'ca.crt',
      certFile: join(tlsFolder, 'client.crt'),
      keyFile: 'client.key',
      serverName: 'recommender.example',
      minVersion: 'TLS13',
    };
    expect(await recommendSecurely(tls)).toEqual({ replicas: 7 });
    expect(reached).toEqual([true]);
  });

  it.each([
    {
      name: 'no authority',
      tls: { serverName: 'recommender.example' },
      want: 'not reachable (SELF_SIGNED_CERT_IN_CHAIN)',
    },
    {
      name: 'another authority',
      tls: { caFile: 'stranger.crt', serverName: 'recommender.example' },
      want: 'not reachable (SELF_SIGNED_CERT_IN_CHAIN)',
    },
    {
      name: 'another name',
      tls: { caFile: 'ca.crt', serverName: 'other.example' },
      want: 'not reachable (ERR_TLS_CERT_ALTNAME_INVALID)',
    },
    ...[
      { name: 'a file that is none', caFile: 'gone.crt' },
      { name: 'a file outside the folder', caFile: '../outside.crt' },
      { name: 'a link that leads outside', caFile: 'link.crt' },
      { name: 'the folder itself', caFile: '.' },
    ].map(({ name, caFile }) => ({
      name,
      tls: { caFile },
      want: `"${caFile}" cannot be read: no file below the configured folder`,
    })),
    {
      name: 'a file without a certificate',
      tls: { caFile: 'none.crt' },
      want: 'the TLS settings cannot be used',
    },
    {
      name: 'a certificate without its key',
      tls: { caFile: 'ca.crt', certFile: 'client.crt' },
      want: 'a client certificate and its key go together',
    },
    {
      name: 'versions that exclude each other',
      tls: { minVersion: 'TLS13', maxVersion: 'TLS12' },
      want: 'TLSv1.3 is above TLSv1.2',
    },
  ])('is an error with $name', async ({ tls, want }) => {
    expect(await recommendSecurely(tls)).toMatchObject({
      error: { reason: 'FailedGetResourceMetric', message: expect.stringContaining(want) },
    });
    expect(asked).toEqual([]);
  });

  it('is not checked where tlsConfig says so, for that recommender alone', async () => {
    expect(await recommendSecurely({ insecureSkipVerify: true })).toEqual({ replicas: 7 });
    expect(await recommendSecurely({})).toMatchObject({ error: {} });
  });

  it('takes files only where a folder is configured', async () => {
    await metrics.close();
    open({});
    expect(await recommendSecurely({ caFile: join(tlsFolder, 'ca.crt') })).toMatchObject({
      error: {
        message: expect.stringContaining('tlsConfig names caFile, and no recommenderTlsFolder is configured'),
      },
    });
  });

  it('follows a file that is replaced', async () => {
    const tls = { caFile: 'rotated.crt', serverName: 'recommender.example' };
    await writeFile(join(tlsFolder, 'rotated.crt'), stranger.certificate);
    expect(await recommendSecurely(tls)).toMatchObject({ error: {} });
    await writeFile(join(tlsFolder, 'rotated.crt'), authority.certificate);
    now += 10_000;
    expect(await recommendSecurely(tls)).toEqual({ replicas: 7 });
  });
});

function open({
  tlsFolder: below,
  hosts = [hostOf(plain), hostOf(secure)],
}: {
  readonly tlsFolder?: string;
  readonly hosts?: readonly string[];
}): void {
  const api = { json: () => Promise.reject(new Error('no cluster')) };
  metrics = openMetrics({
    resourceApi: api,
    customApi: api,
    externalApi: api,
    resourceNameOf: () => Promise.reject(new Error('no cluster')),
    prometheusServers: [],
    recommenders: { cluster: 'production', hosts, ...(below === undefined ? {} : { tlsFolder: below }) },
    timing: { now: () => now, random: () => 0.5 },
  });
}

function recommend(changes: Partial<RecommenderSpec> = {}): Promise<RecommendationReading> {
  return metrics.recommenders.recommend(queryOf(aRecommender(changes)), never);
}

function recommendSecurely(tls: NonNullable<RecommenderSpec['tls']>): Promise<RecommendationReading> {
  return recommend({ url: `https://${hostOf(secure)}/recommend`, tls });
}

function aRecommender(changes: Partial<RecommenderSpec> = {}): RecommenderSpec {
  const url = `http://${hostOf(plain)}/recommend`;
  return { url, targetType: '', lowMilli: 500n, highMilli: 900n, settings: {}, ...changes };
}

function queryOf(recommender: RecommenderSpec) {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };
  const policy = { namespace: 'shop', name: 'checkout', target, minReplicas: 2, maxReplicas: 12 };
  return { policy, recommender, specReplicas: 4, readyReplicas: 3 };
}

function failed(message: string): RecommendationReading {
  const expected = expect.stringContaining(`recommender ${hostOf(plain)}: ${message}`) as unknown as string;
  return { error: { reason: 'FailedGetResourceMetric', message: expected } };
}

function sourceOf(prefix: string) {
  const source = metrics.sources().find(({ name }) => name.startsWith(prefix));
  if (source === undefined) throw new Error(`no source ${prefix}`);
  return source;
}

function hostOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((end) => server.listen(0, '127.0.0.1', end));
  const { port } = server.address() as AddressInfo;
  await new Promise((end) => server.close(end));
  return port;
}

function text(status: number, body: string): RequestListener {
  return (_, response) => response.writeHead(status).end(body);
}

function redirect(...[, response]: Parameters<RequestListener>): void {
  response.writeHead(302, { location: '/elsewhere' }).end();
}

function hangUp(request: Parameters<RequestListener>[0]): void {
  request.socket.destroy();
}
