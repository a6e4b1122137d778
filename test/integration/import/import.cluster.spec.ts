import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readPolicy } from '#policy';
import {
  type CliRun,
  type FileTree,
  makeTree,
  runCli,
} from '../../../apps/cli/src/testing/run-cli.fixture.ts';
import { installWatermarkCrd } from '../../contract/validation/watermark-crd.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import {
  awkwardHpa,
  create,
  createGenerated,
  finalizedHpa,
  hpa,
  managedHpas,
  olderHpa,
  ownedHpa,
  watermark,
} from './live-objects.ts';

const timeoutMilliseconds = 240_000;
/** More than a page of the list. */
const generatedCount = 1200;
const pageSize = 250;

describe('plimsoll import from a real API server', () => {
  let cluster: ControlPlane;
  let tree: FileTree;
  const run = (...options: readonly string[]): CliRun =>
    runCli(tree.folder, ['import', '--kubeconfig', cluster.kubeconfigPath, ...options]);
  const validate = (): CliRun => runCli(tree.folder, ['validate', 'policies']);
  /** What kubectl would change in the cluster to make it what the files say: nothing, or this throws. */
  const diff = (folder: string): Promise<string> =>
    cluster.kubectl(['diff', '--recursive', '--filename', join(tree.folder, folder)]);

  beforeAll(async () => {
    cluster = await startControlPlane({
      extraArguments: { 'kube-apiserver': ['--feature-gates=HPAScaleToZero=true'] },
    });
    for (const name of ['shop', 'billing', 'many', 'bare'])
      await cluster.kubectl(['create', 'namespace', name]);
    for (const object of [olderHpa, awkwardHpa, ...managedHpas, hpa({ name: 'b', namespace: 'billing' })])
      expect(await create(cluster, object)).toBe(true);
    await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(hpa({ name: 'applied' })));
  }, timeoutMilliseconds);
  afterAll(() => cluster.stop());
  beforeEach(() => {
    tree = makeTree({});
  });
  afterEach(() => tree.remove());

  it('notes that the cluster has no WatermarkPodAutoscalers, and that a namespace is empty', () => {
    const { status, stdout, stderr } = run('--namespace', 'bare');
    expect({ status, stdout, lines: stderr.split('\n') }).toEqual({
      status: 0,
      stdout: '',
      lines: [
        'note: the cluster has no WatermarkPodAutoscaler (datadoghq.com/v1alpha1)',
        'note: namespace bare has none, or does not exist',
        '0 taken, 0 not taken',
        '',
      ],
    });
  });

  it('takes no refusal for a kind that the cluster does not have', async () => {
    const kubeconfig = await kubeconfigOfReader(cluster, 'horizontalpodautoscalers.autoscaling', 'hpa-only');
    const { status, stderr } = runCli(tree.folder, [
      'import',
      '--kubeconfig',
      kubeconfig,
      '--namespace',
      'shop',
    ]);
    expect({ status, isNoted: stderr.includes('the cluster has no WatermarkPodAutoscaler') }).toEqual({
      status: 0,
      isNoted: true,
    });
  });

  it(
    'writes files that are valid, that kubectl would change nothing for, and that a second run leaves alone',
    async () => {
      await installWatermarkCrd(cluster.api);
      expect(await create(cluster, watermark({ name: 'marks' }))).toBe(true);
      await createGenerated(cluster, 'many', generatedCount);
      const first = run('--all-namespaces', '--output', 'policies');
      const written = readdirSync(join(tree.folder, 'policies/many'));
      expect(written.filter((file) => file.startsWith('h')).length).toBeGreaterThan(pageSize);
      tree.git('init', '--quiet');
      tree.git('add', '.');
      tree.git('commit', '--quiet', '--message', 'import');
      const second = run('--all-namespaces', '--output', 'policies');
      expect(tree.git('status', '--porcelain')).toBe('');
      expect(second.stderr.replace(/ \(\d+ unchanged\)/, '')).toBe(first.stderr);
      expect(validate()).toMatchObject({ status: 0 });
      expect(await diff('policies')).toBe('');
    },
    timeoutMilliseconds,
  );

  it('names what else writes an object, in the file and on standard error', () => {
    const { stderr } = run('--namespace', 'shop', '--output', 'policies');
    expect(stderr.split('\n').filter((line) => line.includes(' is written by '))).toEqual([
      'note: HorizontalPodAutoscaler shop/by-argo is written by Argo CD application shop-app: take it out there',
      'note: HorizontalPodAutoscaler shop/by-flux is written by Flux Kustomization flux/apps: take it out there',
      'note: HorizontalPodAutoscaler shop/by-helm is written by Helm release web of namespace shop: take it out there',
    ]);
    const text = readFileSync(join(tree.folder, 'policies/shop/by-helm.yaml'), 'utf8');
    expect(text.split('\n').slice(0, 2)).toEqual([
      '# Live, this object is written by Helm release web of namespace shop.',
      '# Take it out there before this policy comes into force, or both will write it.',
    ]);
  });

  it('prints the same stream whatever order namespaces are given in', () => {
    const [one, other] = [run('--namespace', 'shop', 'billing'), run('--namespace', 'billing', 'shop')];
    expect(one.stdout).toBe(other.stdout);
    const kinds = /^kind: \w+$/gm;
    expect(one.stdout.match(kinds)).toHaveLength(8);
    for (const field of [
      'uid',
      'resourceVersion',
      'creationTimestamp',
      'managedFields',
      'generation',
      'status',
    ])
      expect(one.stdout).not.toMatch(new RegExp(`^ *${field}:`, 'm'));
  });

  it('lists what it may where a role forbids one kind, and says what it may not', async () => {
    const kubeconfig = await kubeconfigOfReader(cluster, 'watermarkpodautoscalers.datadoghq.com', 'wpa-only');
    const { status, stdout, stderr } = runCli(tree.folder, [
      ...['import', '--kubeconfig', kubeconfig, '--namespace', 'shop'],
    ]);
    expect({ status, kinds: stdout.match(/^kind: \w+$/gm) }).toEqual({
      status: 1,
      kinds: ['kind: WatermarkPodAutoscaler'],
    });
    expect(stderr).toMatch(/^not listed: .*horizontalpodautoscalers.*forbidden.*\n1 taken, 1 not taken\n$/);
  });

  it('could not run where a role forbids everything', () => {
    const kubeconfig = cluster.kubeconfigFor({ commonName: 'nobody' });
    const { status, stdout, stderr } = runCli(tree.folder, ['import', '--kubeconfig', kubeconfig]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^plimsoll: .*forbidden.*\n$/);
  });

  it('leaves what a controller owns, what is being deleted, and a second one for a target or a name', async () => {
    for (const object of [ownedHpa, finalizedHpa, watermark({ name: 'awkward' })])
      expect(await create(cluster, object)).toBe(true);
    const rival = hpa({ name: 'rival', spec: { scaleTargetRef: target('older') } });
    expect(await create(cluster, rival)).toBe(true);
    await cluster.kubectl(['delete', '--wait=false', '-n', 'shop', 'hpa', 'leaving']);
    const { status, stderr } = run('--namespace', 'shop', '--output', 'policies');
    expect(status).toBe(1);
    expect(stderr.split('\n').filter((line) => line.startsWith('not taken'))).toEqual([
      'not taken: WatermarkPodAutoscaler shop/awkward: HorizontalPodAutoscaler shop/awkward has the same name; rename one of them',
      'not taken: HorizontalPodAutoscaler shop/by-keda: ScaledObject x owns it, and writes it',
      'not taken: HorizontalPodAutoscaler shop/leaving: it is being deleted',
      'not taken: HorizontalPodAutoscaler shop/rival: HorizontalPodAutoscaler shop/older scales the same Deployment; keep one of them',
    ]);
  });
});

describe('plimsoll import from an API server that does not serve autoscaling/v2', () => {
  it(
    'makes the same of an object in v1',
    async () => {
      const cluster = await startControlPlane({
        extraArguments: { 'kube-apiserver': ['--runtime-config=autoscaling/v2=false'] },
      });
      const tree = makeTree({});
      try {
        await cluster.kubectl(['create', 'namespace', 'shop']);
        expect(await create(cluster, olderHpa)).toBe(true);
        const { status, stdout } = runCli(tree.folder, [
          ...['import', '--kubeconfig', cluster.kubeconfigPath, '--namespace', 'shop'],
        ]);
        const document: unknown = parse(stdout);
        expect({ status, document }).toMatchObject({ status: 0, document: { apiVersion: 'autoscaling/v2' } });
        const [written, live] = [readPolicy(document), readPolicy(olderHpa)];
        expect(written.problems).toEqual([]);
        const annotations = { 'example.com/owner': 'team: checkout' };
        expect(written.policy).toEqual({ ...live.policy, annotations });
      } finally {
        tree.remove();
        await cluster.stop();
      }
    },
    timeoutMilliseconds,
  );
});

/** A user who may list one kind. */
async function kubeconfigOfReader(cluster: ControlPlane, resource: string, user: string): Promise<string> {
  await cluster.kubectl(['create', 'clusterrole', user, '--verb=list', `--resource=${resource}`]);
  await cluster.kubectl(['create', 'clusterrolebinding', user, `--clusterrole=${user}`, `--user=${user}`]);
  return cluster.kubeconfigFor({ commonName: user });
}

const target = (name: string): object => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
