import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { type DemoProcess, startDemoProcess } from '../console/support/demo-process.ts';
import { askDemo, bringToDemo, commitInForce, demoFile } from '../console/support/demo-requests.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

/** More than a commit may change without an approval. */
const extraNames = Array.from({ length: 12 }, (_, index) => `extra-${index + 1}`);
const expires = (): string => new Date(Date.now() + 3_600_000).toISOString();

interface Outcome {
  readonly __typename: string;
  readonly code?: string;
  readonly message?: string;
  readonly id?: string;
  readonly token?: { readonly id: string };
  readonly effect?: { readonly digest: string };
}

interface Sources {
  readonly sources: readonly {
    readonly pin: { readonly commit: string } | null;
    readonly holds: readonly { readonly digest: string; readonly isRejected: boolean }[];
  }[];
}

describe('the token that the demo prints', () => {
  let demo: DemoProcess;
  let firstCommit: string;

  beforeAll(async () => {
    demo = await startDemoProcess();
    firstCommit = await soon('a commit in force', () => commitInForce(demo).catch(() => undefined));
    // What the demo itself merges a few seconds after its start.
    await soon('the merge', async () => ((await commitInForce(demo)) === firstCommit ? undefined : true));
  }, 300_000);
  afterAll(() => demo.stop());

  const send = async (field: string, given: string, selection: string): Promise<Outcome> => {
    const both =
      '__typename ... on ActionRefusal { code message } ... on ActionPreview { effect { digest } }';
    const query = `mutation { ${field}(${given}) { ${both} ${selection} } }`;
    const answer = await askDemo<Readonly<Record<string, Outcome>>>(demo, query);
    return answer[field] ?? { __typename: 'nothing' };
  };
  /** As the console does it: what it would do is asked for, and confirmed. */
  const act = async (field: string, given: string, selection = ''): Promise<Outcome> => {
    const { effect } = await send(field, `${given} dryRun: true`, '');
    const confirm = effect === undefined ? '' : ` confirm: "${effect.digest}"`;
    return send(field, `${given}${confirm}${field === 'syncNow' ? '' : ' reason: "to see it"'}`, selection);
  };
  const source = async () => (await askDemo<Sources>(demo, sourcesQuery)).sources[0];
  const commitDozen = async (names: readonly string[]): Promise<string> => {
    const text = demoFile(demo, 'shop/catalog-labels.yaml').replace(/^ {2}labels:.*\n/m, '');
    const files = names.map(
      (name) => [`shop/${name}.yaml`, text.replaceAll('catalog-labels', name)] as const,
    );
    await bringToDemo(demo, 'Add a dozen policies', Object.fromEntries(files));
    const holds = (await source())?.holds ?? [];
    return holds.find(({ isRejected }) => !isRejected)?.digest ?? '';
  };
  const isInForce = async (name: string): Promise<boolean> => {
    const { policy } = await askDemo<{ readonly policy: object | null }>(
      demo,
      `{ policy(namespace: "shop", name: "${name}") { name } }`,
    );
    return policy !== null;
  };

  it('is an administrator’s, everywhere', async () => {
    const headers = { authorization: `Bearer ${demo.token}` };
    const me = await fetch(`${demo.url}/api/v1/me`, { headers });
    expect(await me.json()).toMatchObject({
      name: 'demo',
      grants: [{ role: 'admin', namespaces: ['*'] }],
    });
  });

  it('reads everything that the demo has', async () => {
    const headers = { authorization: `Bearer ${demo.token}` };
    const { paths } = parse(readFileSync('openapi.json', 'utf8')) as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const lists = Object.entries(paths).flatMap(([path, operations]) =>
      path.includes('{') || !('get' in operations) ? [] : [`${path}${needed[path] ?? ''}`],
    );
    const answers = await Promise.all(
      lists.map(async (path) => `${(await fetch(`${demo.url}/api/v1${path}`, { headers })).status} ${path}`),
    );
    expect(answers).toEqual(lists.map((path) => `200 ${path}`));
    expect(answers.length).toBeGreaterThan(15);
  });

  it.each([
    { begin: 'suspendScaling', more: ' direction: Both', end: 'endSuspension' },
    { begin: 'startDryRun', more: '', end: 'endDryRun' },
  ])('carries out $begin and $end', async ({ begin, more, end }) => {
    const given = `scope: Policy namespace: "shop" name: "checkout" expires: "${expires()}"${more}`;
    const begun = await act(begin, given, '... on Intervention { id }');
    expect(begun).toMatchObject({ __typename: 'Intervention' });
    expect(await act(end, `id: "${begun.id ?? ''}"`)).toMatchObject({ __typename: 'Intervention' });
  });

  it('overrides the bounds of a policy, and takes that back', async () => {
    const given = `namespace: "shop" name: "checkout" minReplicas: 3 expires: "${expires()}"`;
    const begun = await act('overrideReplicas', given, '... on Intervention { id }');
    expect(begun).toMatchObject({ __typename: 'Intervention' });
    expect(await act('endOverride', `id: "${begun.id ?? ''}"`)).toMatchObject({ __typename: 'Intervention' });
  });

  it('makes and revokes a token, and asks for a report', async () => {
    const grants = 'grants: [{ role: viewer, namespaces: ["shop"] }]';
    const made = await send(
      'createToken',
      `name: "ci" ${grants} expires: "${expires()}" reason: "to see it"`,
      '... on CreatedToken { token { id } }',
    );
    expect(made).toMatchObject({ __typename: 'CreatedToken' });
    const id = made.token?.id ?? '';
    expect(await send('revokeToken', `id: "${id}" reason: "seen"`, '')).toMatchObject({
      __typename: 'Token',
    });
    const from = new Date(Date.now() - 60_000).toISOString();
    expect(await send('requestReport', `from: "${from}"`, '')).toMatchObject({ __typename: 'Report' });
  });

  it('releases a policy, and has it come back', async () => {
    const given = 'source: "policies" namespace: "shop" name: "checkout"';
    expect(await act('releasePolicy', given)).toMatchObject({ __typename: 'SyncResult' });
    expect(await isInForce('checkout')).toBe(false);
    expect(await act('resumePolicy', given)).toMatchObject({ __typename: 'SyncResult' });
    expect(await isInForce('checkout')).toBe(true);
  });

  it('approves a hold, which takes another than who wrote the commit', async () => {
    const digest = await commitDozen(extraNames);
    expect(await isInForce('extra-1')).toBe(false);
    expect(await act('approveHold', `source: "policies" digest: "${digest}"`)).toMatchObject({
      __typename: 'SyncResult',
    });
    expect(await isInForce('extra-1')).toBe(true);
  });

  it('rejects a hold, rolls the source back, and has it go on', async () => {
    const digest = await commitDozen(extraNames.map((name) => `more-${name}`));
    expect(await act('rejectHold', `source: "policies" digest: "${digest}"`)).toMatchObject({
      __typename: 'HoldRejection',
    });
    expect((await source())?.holds).toMatchObject([{ isRejected: true }]);
    expect(await act('rollBackSource', `source: "policies" commit: "${firstCommit}"`)).toMatchObject({
      __typename: 'SyncResult',
    });
    expect(await commitInForce(demo)).toBe(firstCommit);
    expect(await act('resumeSource', 'source: "policies"')).toMatchObject({ __typename: 'SyncResult' });
    expect((await source())?.pin).toBeNull();
    expect(await act('syncNow', 'source: "policies"')).toMatchObject({ __typename: 'SyncResult' });
  });

  it('says what the leaving of all policies would do', async () => {
    expect(await send('releaseAll', 'to: HorizontalPodAutoscaler dryRun: true', '')).toMatchObject({
      __typename: 'ActionPreview',
    });
  });

  it('opens nothing to another host: API, metrics and the cluster listen on loopback', async () => {
    const kubeconfig = parse(readFileSync(join(demo.repository, '..', 'kubeconfig'), 'utf8')) as Kubeconfig;
    const urls = [demo.url, demo.metricsUrl, kubeconfig.clusters[0].cluster.server].map(
      (url) => new URL(url),
    );
    expect(urls.map(({ hostname }) => hostname)).toEqual(urls.map(() => '127.0.0.1'));
    const others = otherAddresses();
    const came = await Promise.all(
      others.flatMap((host) => urls.map(({ port }) => outcomeOfConnecting(host, Number(port)))),
    );
    expect(came).toEqual(came.map(() => 'ECONNREFUSED'));
    expect(came.length).toBeGreaterThan(0);
  });

  it('does nothing for a page that reaches the demo by a name of its own', async () => {
    const headers = { host: 'demo.example', authorization: `Bearer ${demo.token}` };
    const asked = request(`${demo.url}/api/v1/me`, { headers }).end();
    const [answer] = (await once(asked, 'response')) as [{ readonly statusCode: number; resume: () => void }];
    answer.resume();
    expect(answer.statusCode).toBe(421);
  });
});

const sourcesQuery = '{ sources { pin { commit } holds { digest isRejected } } }';

/** What lists must be asked with. */
const needed: Readonly<Record<string, string>> = {
  '/flapping-policies': '?from=2026-11-20T12:00:00Z',
  '/leaving-policies': '?to=None',
};

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
}

/** What others could reach this machine by; where it has no such address, another one of loopback stands for it. */
function otherAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = all.filter(({ internal, family }) => !internal && family === 'IPv4');
  return outer.length > 0 ? outer.map(({ address }) => address) : ['127.0.0.2'];
}

function outcomeOfConnecting(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}
