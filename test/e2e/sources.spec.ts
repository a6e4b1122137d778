import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Simulator, startSimulator } from '#simulator';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository, type PolicyRepository } from './support/policy-repository.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const policyText = (maxReplicas: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: ${maxReplicas}
`;

interface Hold {
  readonly digest: string;
  readonly causes: readonly { readonly code: string }[];
}

interface SyncResult {
  readonly result: string;
  readonly commit: { readonly hash: string } | null;
  readonly holds: readonly Hold[];
}

const result = '{ result message commit { hash } holds { digest tenant causes { code message items } } }';

describe('sources, as operators meet them', () => {
  let folder: string;
  let simulator: Simulator;
  let repository: PolicyRepository;
  let controller: ControllerProcess;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-'));
    simulator = await startSimulator();
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    repository = createPolicyRepository(join(folder, 'policies'));
    repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText(9) });
    controller = await startControllerProcess(folder, {
      cluster: { name: 'e2e', kubeconfig: join(folder, 'kubeconfig') },
      mode: 'Observe',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [{ name: 'policies', url: repository.url, interval: '1h', unknownApprovers: 'Allowed' }],
      database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    });
  });
  afterEach(async () => {
    await controller.kill();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function maximum(): Promise<number> {
    const { policy } = await controller.query<{ readonly policy: { readonly maxReplicas: number } }>(
      '{ policy(namespace: "shop", name: "checkout") { maxReplicas } }',
    );
    return policy.maxReplicas;
  }
  async function act(mutation: string): Promise<SyncResult> {
    const { done } = await controller.query<{ readonly done: SyncResult | { readonly code: string } }>(
      `mutation { done: ${mutation} { ... on SyncResult ${result} ... on ActionRefusal { code } } }`,
    );
    if ('code' in done) throw new Error(done.code);
    return done;
  }
  const syncNow = (): Promise<SyncResult> => act('syncNow(source: "policies")');

  it('are synced on demand, held after a force-push, approved by digest, rolled back and resumed', async () => {
    const first = repository.commit('Allow ten', { 'shop/checkout.yaml': policyText(10) });
    expect(await syncNow()).toMatchObject({ result: 'active', commit: { hash: first }, holds: [] });
    expect(await maximum()).toBe(10);

    const forced = repository.rewrite('Rewrite history', { 'shop/checkout.yaml': policyText(11) });
    const held = await syncNow();
    expect(held).toMatchObject({ result: 'held', holds: [{ causes: [{ code: 'NotDescendant' }] }] });
    expect(await maximum()).toBe(10);

    await expect(act('approveHold(source: "policies", digest: "0", reason: "looked at it")')).rejects.toThrow(
      'UnknownHold',
    );
    await expect(
      act(`approveHold(source: "policies", digest: "${held.holds[0]!.digest}", reason: " ")`),
    ).rejects.toThrow('ReasonRequired');
    const approved = await act(
      `approveHold(source: "policies", digest: "${held.holds[0]!.digest}", reason: "looked at it")`,
    );
    expect(approved).toMatchObject({ result: 'active', commit: { hash: forced } });
    expect(await maximum()).toBe(11);

    await rm(join(folder, 'policies'), { recursive: true });
    const back = await act(
      `rollBackSource(source: "policies", commit: "${first}", reason: "eleven was too many")`,
    );
    expect(back).toMatchObject({ result: 'active', commit: { hash: first } });
    expect(await maximum()).toBe(10);
    const { sources } = await controller.query<{ readonly sources: readonly object[] }>(
      '{ sources { name commit { hash } pin { commit by reason } staleSince lastSync { result message } } }',
    );
    expect(sources).toMatchObject([
      { name: 'policies', pin: { commit: first, by: 'end-to-end', reason: 'eleven was too many' } },
    ]);
    await expect(
      act(`rollBackSource(source: "policies", commit: "${'1'.repeat(40)}", reason: "a slip")`),
    ).rejects.toThrow('UnknownRevision');
  });

  it('answer which policy was in force at a time', async () => {
    const before = new Date().toISOString();
    repository.commit('Allow ten', { 'shop/checkout.yaml': policyText(10) });
    await syncNow();
    const at = (time: string): string =>
      `policyAt(namespace: "shop", name: "checkout", time: "${time}") { document validTo }`;
    const answer = await controller.query<Readonly<Record<string, PolicyVersion>>>(
      `{ then: ${at(before)} now: ${at(new Date().toISOString())} never: ${at('2001-01-01T00:00:00Z')} }`,
    );
    expect(answer['then']?.document.spec.maxReplicas).toBe(9);
    expect(answer['now']).toMatchObject({ document: { spec: { maxReplicas: 10 } }, validTo: null });
    expect(answer['never']).toBeNull();
  });
});

describe('a start', () => {
  let folder: string;
  let simulator: Simulator;
  let silent: Server;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-'));
    simulator = await startSimulator();
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterEach(async () => {
    silent.close();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('waits for no Git server: one that accepts and never answers keeps neither the API nor other sources', async () => {
    const repository = createPolicyRepository(join(folder, 'policies'));
    repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText(9) });
    const { port } = silent.address() as AddressInfo;
    const hanging = `http://127.0.0.1:${port}/policies.git`;
    const controller = await startControllerProcess(
      folder,
      {
        cluster: { name: 'e2e', kubeconfig: join(folder, 'kubeconfig') },
        mode: 'Observe',
        namespaces: ['shop'],
        dataFolder: join(folder, 'data'),
        sources: [
          { name: 'hanging', url: hanging, interval: '1h' },
          { name: 'policies', url: repository.url, interval: '1h' },
        ],
        database: { url: `sqlite:${join(folder, 'ledger.db')}` },
      },
      { until: 'Serving' },
    );
    await soon('the other source is in force', async () => {
      const { policies } = await controller.query<{
        readonly policies: { readonly edges: readonly object[] };
      }>('{ policies(first: 5) { edges { node { name } } } }');
      return policies.edges.length === 1 ? true : undefined;
    });
    const readiness = await fetch(`${controller.url}/readyz`);
    expect([readiness.status, await readiness.text()]).toEqual([503, expect.stringContaining('hanging')]);
    expect(await controller.stop()).toBe(0);
  });
});

interface PolicyVersion {
  readonly document: { readonly spec: { readonly maxReplicas: number } };
}
