import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';
import { UnusableError } from '../unusable-error.ts';
import { type PrintedRbac, type RbacArguments, rbacOf } from './print-rbac.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const policy = (namespace: string, name: string, spec: string): string =>
  `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}, maxReplicas: 9, ${spec}}
`;

const utilization =
  'metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]';
const external =
  'metrics: [{type: External, external: {metric: {name: queue}, target: {type: Value, value: 5}}}]';

describe('plimsoll rbac', () => {
  let tree: FileTree;

  beforeEach(() => {
    tree = makeTree({ 'plimsoll.yaml': configuration('mode: Act, namespaces: [shop, billing]') });
  });
  afterEach(() => tree.remove());

  function configuration(rest: string, sources = '[{name: policies, url: "https://git.example.com/p.git"}]') {
    return `{cluster: {name: prod}, ${rest}, sources: ${sources}}\n`;
  }

  function print(checkouts: readonly string[], options: Partial<RbacArguments> = {}): Promise<PrintedRbac> {
    const given = {
      config: join(tree.folder, 'plimsoll.yaml'),
      name: 'plimsoll',
      serviceAccount: 'plimsoll',
      serviceAccountNamespace: 'autoscaling',
      ...options,
    };
    const inTree = checkouts.map((text) => text.replace(/(?<=^|=)(?=[^=]*$)/, `${tree.folder}/`));
    return rbacOf(inTree, given, {});
  }

  const manifests = ({ text }: PrintedRbac): readonly Manifest[] =>
    parseAllDocuments(text).map((document) => document.toJS() as Manifest);

  /** `verb group/resource` of every rule, for the one scope of that name. */
  function grants(printed: PrintedRbac, namespace?: string): readonly string[] {
    const role = manifests(printed).find(
      ({ kind, metadata }) => /Role$/.test(kind) && metadata.namespace === namespace,
    );
    return (role?.rules ?? []).flatMap(({ apiGroups, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
    );
  }

  it('lets the controller ask who callers are, in all namespaces, where their tokens are recognised', async () => {
    const reviews = [
      'create authentication.k8s.io/tokenreviews',
      'create authorization.k8s.io/subjectaccessreviews',
    ];
    const enabled = 'auth: {kubernetes: {enabled: true}}';
    tree.write({ 'plimsoll.yaml': configuration(`mode: Observe, namespaces: [shop], ${enabled}`) });
    const scoped = await print([]);
    expect(grants(scoped)).toEqual(reviews);
    expect(grants(scoped, 'shop')).not.toEqual(expect.arrayContaining(reviews));
    tree.write({ 'plimsoll.yaml': configuration(`mode: Observe, namespaces: ["*"], ${enabled}`) });
    expect(grants(await print([]))).toEqual(expect.arrayContaining(['list /pods', ...reviews]));
  });

  it('lets replicas elect who holds what, where their Leases are and nowhere else', async () => {
    const leases = ['list', 'create', 'update', 'delete'].map((verb) => `${verb} coordination.k8s.io/leases`);
    const shared = `database: {url: "postgres://db/ledger"}, coordination: {namespace: plimsoll-system}`;
    tree.write({ 'plimsoll.yaml': configuration(`mode: Observe, namespaces: [shop], ${shared}`) });
    const printed = await print([]);
    expect(grants(printed, 'plimsoll-system')).toEqual(leases);
    expect(grants(printed, 'shop')).not.toEqual(expect.arrayContaining(leases));
  });

  const writes = (all: readonly string[]): readonly string[] =>
    all.filter((grant) => !/^(get|list|watch) /.test(grant));

  const always = ['/pods', 'apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'batch/jobs']
    .concat('autoscaling/horizontalpodautoscalers', 'datadoghq.com/watermarkpodautoscalers')
    .concat('keda.sh/scaledobjects')
    .flatMap((resource) => [`list ${resource}`, `watch ${resource}`]);

  it('has a Role and a binding for each namespace, or a ClusterRole for all of them', async () => {
    const names = (printed: PrintedRbac): readonly unknown[] =>
      manifests(printed).map(({ kind, metadata }) => [kind, metadata.namespace]);
    expect(names(await print([]))).toEqual([
      ['Role', 'billing'],
      ['RoleBinding', 'billing'],
      ['Role', 'shop'],
      ['RoleBinding', 'shop'],
      ['Role', 'kube-system'],
      ['RoleBinding', 'kube-system'],
    ]);
    expect(manifests(await print([]))[4]?.rules).toEqual([
      { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
    ]);
    tree.write({ 'plimsoll.yaml': configuration('mode: Act, namespaces: ["*"]') });
    const printed = await print([], { name: 'plimsoll-prod' });
    expect(names(printed)).toEqual([
      ['ClusterRole', undefined],
      ['ClusterRoleBinding', undefined],
    ]);
    expect(manifests(printed)[1]).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'plimsoll-prod' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'plimsoll-prod' },
      subjects: [{ kind: 'ServiceAccount', name: 'plimsoll', namespace: 'autoscaling' }],
    });
  });

  it('gives each namespace what its own policies need, and what no policy needs to none', async () => {
    tree.write({
      'policies/shop.yaml': policy('shop', 'checkout', utilization),
      'policies/billing.yaml': policy(
        'billing',
        'invoices',
        `actuation: HorizontalPodAutoscaler, ${external}`,
      ),
      'policies/elsewhere.yaml': policy('elsewhere', 'x', external),
    });
    const printed = await print(['policies']);
    expect(grants(printed, 'shop').toSorted()).toEqual(
      [
        ...always,
        'get apps/deployments',
        'get apps/deployments/scale',
        'update apps/deployments/scale',
        'patch apps/deployments/scale',
        'list metrics.k8s.io/pods',
        'create /events',
        'patch /events',
      ].toSorted(),
    );
    expect(grants(printed, 'billing').toSorted()).toEqual(
      [
        ...always,
        'get apps/deployments',
        'get apps/deployments/scale',
        'update apps/deployments/scale',
        'patch apps/deployments/scale',
        'list external.metrics.k8s.io/*',
        'create /events',
        'patch /events',
        ...['get', 'create', 'update', 'delete'].map(
          (verb) => `${verb} autoscaling/horizontalpodautoscalers`,
        ),
      ].toSorted(),
    );
  });

  it.each([
    {
      name: 'owners, by a policy that selects by them',
      spec: `selectionStrategy: OwnerReference, ${utilization}`,
      want: ['/replicationcontrollers', 'apps/daemonsets', 'apps/replicasets', 'apps/statefulsets'].concat(
        'batch/cronjobs',
        'batch/jobs',
      ),
      verb: 'get',
    },
    {
      name: 'what a lifecycle names',
      spec: `lifecycle: {blockedBy: {apiVersion: datadoghq.com/v1alpha1, kind: DatadogMonitor, name: m, jsonPath: .status.monitorState, notEqual: OK}}, ${utilization}`,
      want: ['datadoghq.com/datadogmonitors'],
      verb: 'get',
    },
    {
      name: 'custom metrics',
      spec: 'metrics: [{type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: 5}}}]',
      want: ['custom.metrics.k8s.io/*'],
      verb: 'get',
    },
  ])('reads $name', async ({ spec, want, verb }) => {
    tree.write({ 'policies/a.yaml': policy('shop', 'a', spec) });
    expect(grants(await print(['policies']), 'shop')).toEqual(
      expect.arrayContaining(want.map((resource) => `${verb} ${resource}`)),
    );
    tree.write({ 'policies/a.yaml': policy('shop', 'a', utilization) });
    for (const resource of want)
      expect(grants(await print(['policies']), 'shop')).not.toContain(`${verb} ${resource}`);
  });

  it('names scales of custom kinds, and says which plural it has formed', async () => {
    const target = ['argoproj.io/v1alpha1/Rollout', 'example.com/v1/Proxy'];
    const printed = await print([], { target, plural: ['Proxy.example.com=proxys'] });
    expect(grants(printed, 'shop')).toEqual(
      expect.arrayContaining([
        'get argoproj.io/rollouts',
        'list argoproj.io/rollouts',
        'watch argoproj.io/rollouts',
        'get argoproj.io/rollouts/scale',
        'update argoproj.io/rollouts/scale',
        'patch argoproj.io/rollouts/scale',
        'update example.com/proxys/scale',
        'patch example.com/proxys/scale',
      ]),
    );
    expect(grants(printed, 'shop')).not.toContain('update apps/deployments/scale');
    expect(printed.notes).toContainEqual(expect.stringContaining('--plural Rollout.argoproj.io=rollouts'));
    expect(printed.notes.join()).not.toContain('Proxy');
  });

  it('needs no verb that writes in Observe, whatever is asked for', async () => {
    tree.write({ 'plimsoll.yaml': configuration('mode: Observe, namespaces: ["*"]') });
    const everything = {
      actuation: ['Scale', 'HorizontalPodAutoscaler'] as const,
      metric: ['Resource', 'Pods', 'Object', 'External', 'Prometheus'] as const,
      blockedBy: ['v1/ConfigMap'],
      enforcesOwnerReferences: true,
    };
    expect(writes(grants(await print([], everything)))).toEqual([]);
    tree.write({ 'plimsoll.yaml': configuration('mode: Act, namespaces: ["*"]') });
    expect(writes(grants(await print([], everything)))).toEqual(
      expect.arrayContaining([
        'update apps/deployments/finalizers',
        'delete autoscaling/horizontalpodautoscalers',
      ]),
    );
  });

  it('never allows Secrets', async () => {
    expect((await print([], { blockedBy: ['v1/Secret', 'v1/ConfigMap'] })).text).not.toMatch(/secrets/);
  });

  it('prints the same text whatever the order', async () => {
    tree.write({
      'policies/b.yaml': policy('shop', 'b', external),
      'policies/a.yaml': policy('shop', 'a', utilization),
    });
    const { text } = await print(['policies'], { target: ['a.io/v1/B', 'b.io/v1/A'] });
    tree.write({ 'plimsoll.yaml': configuration('mode: Act, namespaces: [billing, shop, shop]') });
    expect((await print(['policies'], { target: ['b.io/v1/A', 'a.io/v1/B'] })).text).toBe(text);
  });

  it('reads a checkout of each source, and says which it has none of', async () => {
    const sources =
      '[{name: a, url: "https://g.example.com/a.git"}, {name: b, url: "https://g.example.com/b.git"}]';
    tree.write({
      'plimsoll.yaml': configuration('mode: Act, namespaces: [shop]', sources),
      'one/a.yaml': policy('shop', 'a', utilization),
      'two/b.yaml': policy('shop', 'b', external),
    });
    const both = await print(['a=one', 'b=two']);
    expect(grants(both, 'shop')).toEqual(
      expect.arrayContaining(['list metrics.k8s.io/pods', 'list external.metrics.k8s.io/*']),
    );
    expect(both.notes).toEqual([]);
    expect((await print(['b=two'])).notes).toEqual([expect.stringContaining('source a')]);
    await expect(print(['one'])).rejects.toThrow(UnusableError);
    await expect(print(['a=one', 'a=two'])).rejects.toThrow(/named twice/);
  });

  it('counts no invalid policy, and says so by its status', () => {
    tree.write({ 'policies/a.yaml': policy('shop', 'a', 'maxReplicas: 0') });
    const run = runCli(tree.folder, ['rbac', '--config', 'plimsoll.yaml', 'policies']);
    expect(run).toMatchObject({ status: 1, stderr: expect.stringMatching(/not counted: .*a\.yaml:4/) });
    expect(run.stdout).toMatch(/^apiVersion: rbac/);
  });

  it.each([
    { args: ['--target', 'Deployment'], want: /Deployment is no kind/ },
    { args: ['--plural', 'x'], want: /x is no plural/ },
    { args: ['nowhere'], want: /nowhere/ },
    { args: ['--config', 'none.yaml'], want: /none\.yaml cannot be read/ },
  ])('cannot run with $args', ({ args, want }) => {
    const run = runCli(tree.folder, ['rbac', '--config', 'plimsoll.yaml', ...args]);
    expect(run).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(want) });
  });
});
