import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Simulator, startSimulator } from '#simulator';
import { type ControllerProcess, startControllerProcess, testToken } from './support/controller-process.ts';
import { createPolicyRepository } from './support/policy-repository.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(90_000);

interface Answer {
  readonly status: number;
  readonly body: string;
}

describe('the admin API', () => {
  let folder: string;
  let simulator: Simulator;
  let controller: ControllerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-'));
    simulator = await startSimulator();
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    const configuration = {
      cluster: { name: 'e2e', kubeconfig: join(folder, 'kubeconfig') },
      mode: 'Observe',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [{ name: 'policies', url: createPolicyRepository(join(folder, 'policies')).url }],
      database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    };
    const environment = { PLIMSOLL_PORT: 'tcp://10.0.0.1:8080', PLIMSOLL_SERVICE_HOST: '10.0.0.1' };
    controller = await startControllerProcess(folder, configuration, { environment });
  });
  afterAll(async () => {
    await controller.kill();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function ask(path: string, headers: Readonly<Record<string, string>>, query?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const method = query === undefined ? 'GET' : 'POST';
      const outgoing = request(new URL(path, controller.url), { method, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      });
      outgoing.on('error', reject);
      outgoing.end(query === undefined ? undefined : JSON.stringify({ query }));
    });
  }
  const json = { 'content-type': 'application/json' };
  const token = { authorization: `Bearer ${testToken}` };

  it.each(['/readyz', '/healthz'])('answers a probe by the address of its pod: %s', async (path) => {
    expect((await ask(path, { host: '10.42.0.7:8080' })).status).toBe(200);
  });

  it('passes over what Kubernetes sets for a Service of its name, with a note', () => {
    expect(controller.log).toContainEqual(
      expect.objectContaining({ variables: ['PLIMSOLL_PORT', 'PLIMSOLL_SERVICE_HOST'] }),
    );
  });

  it.each([
    { name: 'no token', headers: json, want: 401 },
    { name: 'a wrong token', headers: { ...json, authorization: 'Bearer plm_wrong' }, want: 401 },
    { name: 'another host', headers: { ...json, ...token, host: 'evil.example' }, want: 421 },
  ])('refuses $name', async ({ headers, want }) => {
    const { status, body } = await ask('/graphql', headers, '{ policies { pageInfo { hasNextPage } } }');
    expect(status).toBe(want);
    expect(JSON.parse(body)).toMatchObject({ status: want, code: expect.any(String) });
    expect(body).not.toContain(testToken);
  });

  it.each([
    {
      name: 'a page too large',
      query: '{ decisions(first: 101) { pageInfo { endCursor } } }',
      code: 'BadPageSize',
    },
    {
      name: 'a cursor that is none',
      query: '{ decisions(after: "x") { pageInfo { endCursor } } }',
      code: 'BadCursor',
    },
    {
      name: 'a time that is none',
      query: '{ policyAt(namespace: "a", name: "b", time: "noon") { validFrom } }',
      code: 'BadTime',
    },
    { name: 'a field that is none', query: '{ nope }', code: 'BadQuery' },
  ])('answers $name with a stable code', async ({ query, code }) => {
    const { body } = await ask('/graphql', { ...json, ...token }, query);
    const { errors } = JSON.parse(body) as {
      readonly errors: readonly { readonly extensions: { readonly code: string } }[];
    };
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([code]);
  });

  it('answers an action that it refuses with a typed result', async () => {
    const query = 'mutation { syncNow(source: "x") { ... on ActionRefusal { code } } }';
    const { body } = await ask('/graphql', { ...json, ...token }, query);
    expect(JSON.parse(body)).toEqual({ data: { syncNow: { code: 'UnknownSource' } } });
  });

  it('answers health without a token', async () => {
    expect(await ask('/healthz', {})).toEqual({ status: 200, body: '{"status":"ok"}' });
    const ready = await soon('readiness', async () => {
      const { status, body } = await ask('/readyz', {});
      return status === 200 ? body : undefined;
    });
    expect(JSON.parse(ready)).toMatchObject({ ready: true, role: 'active' });
  });

  it('counts passes for Prometheus on a port of its own', async () => {
    const { metricsUrl } = controller.log.find(({ msg }) => msg === 'serving the admin API') ?? {};
    const text = await (await fetch(String(metricsUrl))).text();
    expect(text).toContain('plimsoll_policies{cluster="e2e"} 0');
    expect(await ask('/metrics', token)).toMatchObject({ status: 404 });
  });

  it('writes no error of ours, whatever was asked', () => {
    expect(controller.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
