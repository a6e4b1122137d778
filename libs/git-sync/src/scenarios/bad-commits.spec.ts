import { describe, expect, it } from '@jest/globals';
import type { RepositoryOptions } from '#repository';
import type { FakeChanges } from '../ports/git.fake.ts';
import { MemoryBench } from '../testing/memory-bench.ts';
import { a, b, both, kustomization, policyYaml } from '../testing/policy-yaml.ts';

const tenants: RepositoryOptions['tenants'] = [
  { name: 'shop', path: 'teams/shop', namespaces: ['shop'], namespace: 'shop' },
  { name: 'pay', path: 'teams/pay', namespaces: ['pay'], namespace: 'pay' },
];

const guardrail = (maximum: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: { name: bounds }
spec:
  rules:
    - { name: limit, expression: object.spec.maxReplicas <= ${maximum}, message: too many }
`;

const native = (name: string, spec = ''): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 9
${spec}`;

const defaults = (name: string, values: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: ${name} }
spec: { values: { ${values} } }
`;

/** In a tenant's directory. */
const shop = (name: string, max = 10): string => policyYaml(name, { max, namespace: null });

interface Row {
  readonly name: string;
  readonly options?: Partial<RepositoryOptions>;
  /** Each is committed and synced. */
  readonly commits: readonly FakeChanges[];
  readonly replicas?: Readonly<Record<string, number>>;
  readonly want: {
    readonly result: string;
    readonly bounds: readonly string[];
    /** Codes of errors and causes of holds, sorted. */
    readonly codes: readonly string[];
  };
}

const rows: readonly Row[] = [
  {
    name: 'an unreadable file keeps its policy and lets nothing else of the tenant advance',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': 'kind: [', 'b.yaml': policyYaml('b', { max: 20 }) },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'Syntax'] },
  },
  {
    name: 'an ignored policy stays in force',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { '.plimsollignore': 'a.yaml\n' }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'a policy that a new chart hides stays in force',
    commits: [{ 'x/templates/a.yaml': a, 'b.yaml': b }, { 'x/Chart.yaml': 'name: x\n' }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'a patched policy stays in force',
    commits: [
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]'), 'x/a.yaml': a, 'b.yaml': b },
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]', 'namePrefix: p-') },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'a policy that becomes a patch stays in force',
    commits: [
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]'), 'x/a.yaml': a, 'b.yaml': b },
      { 'x/kustomization.yaml': kustomization('patches: [{path: a.yaml}]') },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'a new kustomization that does not list a policy hides it, and it stays in force',
    commits: [{ 'x/a.yaml': a, 'b.yaml': b }, { 'x/kustomization.yaml': kustomization('resources: []') }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'taking a policy off resources deletes it',
    commits: [
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]'), 'x/a.yaml': a, 'b.yaml': b },
      { 'x/kustomization.yaml': kustomization('resources: []') },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    name: 'a deleted file that is still listed is an error',
    commits: [
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]'), 'x/a.yaml': a, 'b.yaml': b },
      { 'x/a.yaml': null },
    ],
    want: { result: 'rejected', bounds: both, codes: ['MissingResource'] },
  },
  {
    name: 'a cycle of kustomizations is an error for a policy in force',
    commits: [
      { 'x/kustomization.yaml': kustomization('resources: [a.yaml]'), 'x/a.yaml': a, 'b.yaml': b },
      {
        'x/kustomization.yaml': kustomization('resources: [a.yaml, ../y]'),
        'y/kustomization.yaml': kustomization('resources: [../x]'),
      },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  },
  {
    name: 'a removed API version keeps the policy',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': a.replace('autoscaling/v2', 'extensions/v1beta1') }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'RemovedVersion'] },
  },
  {
    name: 'a changed kind of the same file and name is no removal',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n' },
    ],
    want: { result: 'rejected', bounds: both, codes: ['KindChanged'] },
  },
  {
    name: 'a removal beside a new file that cannot be read is uncertain',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': null, 'moved.yaml': 'kind: HorizontalPodAutoscaler\nx: [' },
    ],
    want: { result: 'rejected', bounds: both, codes: ['RemovalUncertain', 'Syntax'] },
  },
  {
    name: 'a removal beside a new ignored file that holds the policy is uncertain',
    commits: [
      { 'a.yaml': a, 'b.yaml': b, '.plimsollignore': 'old/\n' },
      { 'a.yaml': null, 'old/a.yaml': a },
    ],
    want: { result: 'rejected', bounds: both, codes: ['RemovalUncertain'] },
  },
  {
    name: 'a moved file is no prune',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': null, 'x/y.yaml': a },
    ],
    want: { result: 'active', bounds: both, codes: [] },
  },
  {
    name: 'a defaults document that can no longer be read is an error',
    commits: [
      { 'a.yaml': native('a'), 'd.yaml': defaults('d', 'minReplicas: 4') },
      { 'd.yaml': 'kind: PolicyDefaults\nx: [' },
    ],
    want: { result: 'rejected', bounds: ['shop/a 4-9'], codes: ['PolicyUnreadable', 'Syntax'] },
  },
  {
    name: 'a name twice where neither was in force is one error, which names both places',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'c.yaml': policyYaml('c'), 'd.yaml': policyYaml('c') },
    ],
    want: {
      result: 'rejected',
      bounds: both,
      codes: ['DuplicateName'],
    },
  },
  {
    name: 'a target of two policies is an error of the newcomer, its version does not matter',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      {
        'c.yaml': policyYaml('c')
          .replace('Deployment, name: c', 'Deployment, name: a')
          .replace('apps/v1', 'apps/v1beta1'),
      },
    ],
    want: { result: 'rejected', bounds: both, codes: ['DuplicateTarget'] },
  },
  {
    name: 'no namespace from anywhere is an error',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'c.yaml': policyYaml('c', { namespace: null }) }],
    want: { result: 'rejected', bounds: both, codes: ['Required'] },
  },
  {
    name: 'a placeholder is an error',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'c.yaml': policyYaml('c').replace('name: c\n', 'name: ${NAME}\n') },
    ],
    want: { result: 'rejected', bounds: both, codes: ['Placeholder'] },
  },
  {
    name: 'defaults: the nearest directory wins, and lists replace',
    commits: [
      {
        'd.yaml': defaults('top', 'minReplicas: 2, interval: 10s'),
        'x/d.yaml': defaults('near', 'minReplicas: 3'),
        'x/a.yaml': native('a'),
        'b.yaml': native('b', '  minReplicas: 5\n'),
      },
    ],
    want: { result: 'active', bounds: ['shop/a 3-9', 'shop/b 5-9'], codes: [] },
  },
  {
    name: 'two defaults of one rank that differ are an error',
    commits: [
      { 'a.yaml': native('a') },
      { 'd.yaml': defaults('d', 'minReplicas: 2'), 'e.yaml': defaults('e', 'minReplicas: 3') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-9'], codes: ['ConflictingDefaults'] },
  },
  {
    name: 'a guardrail denies',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'g.yaml': guardrail(20), 'a.yaml': policyYaml('a', { max: 21 }) },
    ],
    want: { result: 'rejected', bounds: both, codes: ['Guardrail'] },
  },
  {
    name: 'a guardrail that does not compile is an error of its transaction',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'g.yaml': guardrail(20).replace('<= 20', '<=') }],
    want: { result: 'rejected', bounds: both, codes: ['InvalidValue'] },
  },
  {
    name: 'one tenant with an error stays, the other advances',
    options: { tenants },
    commits: [
      { 'teams/shop/a.yaml': shop('a'), 'teams/pay/b.yaml': shop('b') },
      { 'teams/shop/a.yaml': shop('a', 0), 'teams/pay/b.yaml': shop('b', 20) },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-20', 'shop/a 1-10'], codes: ['OutOfRange'] },
  },
  {
    name: 'a policy outside the tenants is an error of the root',
    options: { tenants },
    commits: [{ 'teams/shop/a.yaml': shop('a'), 'x.yaml': policyYaml('x') }],
    want: { result: 'partial', bounds: ['shop/a 1-10'], codes: ['OutsideTenants'] },
  },
  {
    name: "a tenant touches no other tenant's namespace",
    options: { tenants },
    commits: [
      { 'teams/shop/a.yaml': shop('a') },
      { 'teams/pay/b.yaml': policyYaml('b', { namespace: 'shop' }) },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['NamespaceNotAllowed'] },
  },
  {
    name: 'what a tenant may not do is told with what else is wrong with its document',
    options: {
      tenants: tenants.map((tenant) =>
        tenant.name === 'pay' ? { ...tenant, limits: { maxReplicas: 5 } } : tenant,
      ),
    },
    commits: [
      { 'teams/shop/a.yaml': shop('a') },
      {
        'teams/pay/b.yaml': policyYaml('b', { namespace: 'shop', max: 20 }).replace(
          'minReplicas',
          'minimumReplicas',
        ),
      },
    ],
    want: {
      result: 'rejected',
      bounds: ['shop/a 1-10'],
      codes: ['NamespaceNotAllowed', 'TenantLimit', 'UnknownField'],
    },
  },
  {
    name: 'so are its interval, and the counts of its schedules',
    options: {
      tenants: tenants.map((tenant) =>
        tenant.name === 'pay' ? { ...tenant, limits: { maxReplicas: 25, minIntervalSeconds: 30 } } : tenant,
      ),
    },
    commits: [
      { 'teams/shop/a.yaml': shop('a') },
      {
        'teams/pay/b.yaml': native(
          'b',
          `  interval: 10s
  nope: 1
  schedules: [{ name: s, cron: 0 0 * * *, timeZone: UTC, duration: 1h, maxReplicas: 30 }]
`,
        ).replace('namespace: shop', 'namespace: pay'),
      },
    ],
    want: {
      result: 'rejected',
      bounds: ['shop/a 1-10'],
      codes: ['TenantLimit', 'TenantLimit', 'UnknownField'],
    },
  },
  {
    name: 'a root that breaks a tenant does not advance',
    options: { tenants },
    commits: [
      { 'teams/shop/a.yaml': shop('a'), 'teams/pay/b.yaml': shop('b', 3) },
      { 'g.yaml': guardrail(5), 'teams/pay/b.yaml': shop('b', 4) },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-4', 'shop/a 1-10'], codes: ['BreaksTenant'] },
  },
  {
    name: 'a root is tried with the active documents of a tenant that is invalid by itself',
    options: { tenants },
    commits: [
      { 'teams/shop/a.yaml': shop('a'), 'teams/pay/b.yaml': shop('b', 3) },
      { 'g.yaml': guardrail(10), 'teams/pay/b.yaml': 'kind: HorizontalPodAutoscaler\nx: [' },
      { 'teams/shop/a.yaml': shop('a', 11) },
    ],
    want: {
      result: 'rejected',
      bounds: ['pay/b 1-3', 'shop/a 1-10'],
      codes: ['Guardrail', 'PolicyUnreadable', 'Syntax'],
    },
  },
  {
    name: 'a tenant that needs the new root waits for it',
    options: { tenants },
    commits: [
      { 'g.yaml': guardrail(10), 'teams/shop/a.yaml': shop('a'), 'teams/pay/b.yaml': shop('b', 3) },
      {
        'g.yaml': guardrail(20).replace('<= 20', '<= 20 && object.spec.maxReplicas != 3'),
        'teams/shop/a.yaml': shop('a', 15),
      },
    ],
    want: { result: 'rejected', bounds: ['pay/b 1-3', 'shop/a 1-10'], codes: ['BreaksTenant'] },
  },
  {
    name: 'tenants between which a target moves advance together or not at all',
    options: { tenants: tenants.map((tenant) => ({ ...tenant, namespaces: ['one'], namespace: 'one' })) },
    commits: [
      { 'teams/shop/a.yaml': shop('a'), 'teams/shop/c.yaml': shop('c'), 'teams/pay/b.yaml': shop('b') },
      { 'teams/shop/a.yaml': null, 'teams/pay/a.yaml': shop('a', 20), 'teams/pay/b.yaml': shop('b', 0) },
    ],
    want: { result: 'rejected', bounds: ['one/a 1-10', 'one/b 1-10', 'one/c 1-10'], codes: ['OutOfRange'] },
  },
  {
    name: 'a source that would become empty is held',
    commits: [{ 'a.yaml': a }, { 'a.yaml': null }],
    want: { result: 'held', bounds: ['shop/a 1-10'], codes: ['PruneToEmpty'] },
  },
  {
    name: 'a tenant of more than one policy that would become empty is held, the other advances',
    options: { tenants },
    commits: [
      { 'teams/shop/a.yaml': shop('a'), 'teams/shop/c.yaml': shop('c'), 'teams/pay/b.yaml': shop('b') },
      { 'teams/shop/a.yaml': null, 'teams/shop/c.yaml': null, 'teams/pay/b.yaml': shop('b', 12) },
    ],
    want: {
      result: 'partial',
      bounds: ['pay/b 1-12', 'shop/a 1-10', 'shop/c 1-10'],
      codes: ['PruneToEmpty'],
    },
  },
  {
    name: 'a first activation of nothing is held',
    commits: [{ 'x.yaml': 'apiVersion: v1\nkind: Service\n' }],
    want: { result: 'held', bounds: [], codes: ['NothingTaken'] },
  },
  {
    name: 'a maximum below half of what runs is held',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': policyYaml('a', { max: 4 }) }],
    replicas: { 'shop/a': 9 },
    want: { result: 'held', bounds: both, codes: ['ScaleInByBound'] },
  },
  {
    name: 'a maximum of half of what runs is not held',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': policyYaml('a', { max: 4 }) }],
    replicas: { 'shop/a': 8 },
    want: { result: 'active', bounds: ['shop/a 1-4', 'shop/b 1-10'], codes: [] },
  },
  {
    name: 'a maximum lowered while the count is not known is held',
    commits: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': policyYaml('a', { max: 9 }) }],
    want: { result: 'held', bounds: both, codes: ['ScaleInByBound'] },
  },
  {
    name: 'a released document leaves',
    commits: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': a.replace('name: a\n', 'name: a\n  annotations: { plimsoll.dev/release: "true" }\n') },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
];

describe('what stays in force after a bad commit', () => {
  it.each(rows)('$name', async ({ options = {}, commits, replicas = {}, want }) => {
    const bench = new MemoryBench(options);
    for (const [policy, present] of Object.entries(replicas)) bench.replicas.set(policy, present);
    for (const changes of commits) await bench.commit(changes);
    expect({ result: bench.last?.result, bounds: bench.bounds(), codes: bench.codes() }).toEqual(want);
  });

  it('an error that follows from another one is told after it, whatever their files are called', async () => {
    const bench = new MemoryBench();
    await bench.commit({ 'a.yaml': a, 'b.yaml': b });
    await bench.commit({
      'a.yaml': null,
      'b.yaml': b.replace('HorizontalPodAutoscaler', 'HorizontalPodAutoscalerr'),
    });
    expect(bench.errors().map((text) => text.split(' ').at(-1))).toEqual([
      'UnknownKind',
      'RemovalUncertain',
      'PolicyUnreadable',
    ]);
    expect(bench.last?.message).toMatch(/^3 errors: b\.yaml:2:/);
  });

  it('a deleted file that is still listed is an error at the entry that lists it', async () => {
    const bench = new MemoryBench();
    const listing = 'resources:\n- a.yaml\n';
    await bench.commit({ 'x/kustomization.yaml': kustomization(listing), 'x/a.yaml': a });
    await bench.commit({ 'x/a.yaml': null });
    const line = kustomization(listing).split('\n').indexOf('- a.yaml') + 1;
    expect(bench.errors()).toEqual([`x/kustomization.yaml:${line}  MissingResource`]);
  });
});
