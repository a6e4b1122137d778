import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject } from '#kernel';
import { importDocument } from '#policy';
import { type NewObject, type Simulator, startSimulator } from '#simulator';
import { aTerminal, type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';
import { importPolicies } from './import-policies.ts';

const hpa = (name: string, annotations: Record<string, string> = {}): NewObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, namespace: 'shop', annotations },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 5 },
});

describe('plimsoll import', () => {
  let simulator: Simulator;
  let tree: FileTree;
  const run = (force: boolean): Promise<unknown> => {
    const [kubeconfig, output] = [join(tree.folder, 'kubeconfig'), join(tree.folder, 'policies')];
    return importPolicies({ kubeconfig, output, namespace: ['shop'], force }, aTerminal());
  };

  beforeAll(async () => {
    simulator = await startSimulator({ controllers: 'ApiOnly' });
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    simulator.objects.create(
      hpa('web', { 'kubectl.kubernetes.io/last-applied-configuration': '{}', owner: '1' }),
    );
    simulator.objects.create(hpa('ours', { 'plimsoll.dev/policy': 'shop/ours' }));
    tree = makeTree({ kubeconfig: simulator.kubeconfigYaml });
  });
  afterAll(async () => {
    await simulator.stop();
    tree.remove();
  });

  it('writes what is live as one file each, without what the server wrote, and says what it left', async () => {
    expect(await run(false)).toBe(1);
    const folder = join(tree.folder, 'policies/shop');
    expect(readdirSync(folder)).toEqual(['web.yaml']);
    const text = readFileSync(join(folder, 'web.yaml'), 'utf8');
    expect(text).toMatch(
      /^apiVersion: autoscaling\/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n {2}name: web\n/,
    );
    expect(text).toContain('owner: "1"');
    expect(text).not.toMatch(/uid|resourceVersion|managedFields|last-applied|status/);
  });

  it('leaves a file alone that says the same', async () => {
    const file = join(tree.folder, 'policies/shop/web.yaml');
    const before = statSync(file).mtimeMs;
    expect(await run(true)).toBe(1);
    expect(statSync(file).mtimeMs).toBe(before);
  });

  it('overwrites only where that is asked for', async () => {
    const file = join(tree.folder, 'policies/shop/web.yaml');
    writeFileSync(file, 'mine\n');
    expect(await run(false)).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    await run(true);
    expect(readFileSync(file, 'utf8')).toContain('name: web');
  });

  it('ends with status 2 where the kubeconfig does not exist', () => {
    const { status, stderr } = runCli(tree.folder, ['import', '--kubeconfig', 'none']);
    expect({ status, isTold: stderr.startsWith('plimsoll: ') }).toEqual({ status: 2, isTold: true });
  });

  it('leaves what another object owns', () => {
    const owner = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'web', controller: true };
    const live = { ...hpa('web'), metadata: { name: 'web', namespace: 'shop', ownerReferences: [owner] } };
    const document: unknown = JSON.parse(JSON.stringify(live));
    expect(isJsonObject(document) && importDocument(document)).toEqual({
      kind: 'Left',
      reason: 'ScaledObject web owns it, and writes it',
    });
  });
});
