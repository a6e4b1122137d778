import { expect } from '@jest/globals';
import {
  annotated,
  broken,
  configMap,
  defaults,
  describeRows,
  guardrail,
  neighbours,
  type Row,
  support,
  tenants,
} from '../testing/bad-commits.ts';
import { request } from '../testing/memory-bench.ts';
import { a, b, both, kustomization, max, native, own, policyYaml } from '../testing/policy-yaml.ts';

const documents: readonly Row[] = [
  {
    section: '5',
    name: 'each folder may have defaults of one name; the same name twice in one file is an error',
    steps: [
      {
        'x/d.yaml': defaults('d', 'minReplicas: 2'),
        'y/d.yaml': defaults('d', 'minReplicas: 3'),
        'x/a.yaml': native('a'),
        'y/b.yaml': native('b'),
      },
      { 'y/d.yaml': `${defaults('d', 'minReplicas: 4')}---\n${defaults('d', 'interval: 30s')}` },
    ],
    want: { result: 'rejected', bounds: ['shop/a 2-10', 'shop/b 3-10'], codes: ['DuplicateName'] },
  },
  {
    section: '5',
    name: 'defaults fill AutoscalingPolicy only; guardrails judge all kinds',
    steps: [
      { 'd.yaml': defaults('d', 'minReplicas: 4'), 'a.yaml': a, 'b.yaml': native('b') },
      { 'g.yaml': guardrail('object.spec.maxReplicas < 10') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10', 'shop/b 4-10'], codes: ['Guardrail', 'Guardrail'] },
  },
  {
    section: '5',
    name: 'what a policy lacks because its defaults are wrong is an error of the defaults alone',
    steps: [
      { 'd.yaml': defaults('d', 'maxReplicas: 5'), 'a.yaml': native('a', '') },
      { 'd.yaml': defaults('d', 'maxReplicas: 0'), 'a.yaml': native('a', '  minReplicas: 0\n') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-5'], codes: ['OutOfRange'] },
  },
  {
    section: '5',
    name: 'what an item of a list lacks is an error beside those of defaults, which add nothing to a list',
    steps: [
      { 'd.yaml': defaults('d', 'maxReplicas: 5'), 'a.yaml': native('a', '') },
      {
        'd.yaml': defaults('d', 'maxReplicas: 0'),
        'a.yaml': native('a', '  behavior: { scaleUp: { policies: [{ type: Pods, value: 1 }] } }\n'),
      },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-5'], codes: ['OutOfRange', 'Required'] },
  },
  {
    section: '5',
    name: 'what a policy lacks outside the folder of wrong defaults is an error of its own',
    steps: [
      { 'a.yaml': native('a') },
      { 'x/d.yaml': defaults('d', 'maxReplicas: 0'), 'a.yaml': native('a', '') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['OutOfRange', 'Required'] },
  },
  {
    section: '5',
    name: "a tenant's defaults and guardrails reach no other tenant, whatever they select",
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': native('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/pay/g.yaml': support(
          'PolicyGuardrail',
          'g',
          '{ selector: {}, rules: [{ name: r, expression: \'object.metadata.namespace != "shop"\', message: refused }] }',
        ),
        'teams/pay/d.yaml': support('PolicyDefaults', 'd', '{ selector: {}, values: { minReplicas: 5 } }'),
      },
    ],
    want: { result: 'active', bounds: ['pay/b 1-10', 'shop/a 1-10'], codes: [] },
  },
  {
    section: '5',
    name: 'two defaults of one rank that differ are an error',
    steps: [
      { 'a.yaml': native('a') },
      { 'd.yaml': defaults('d', 'minReplicas: 2'), 'e.yaml': defaults('e', 'minReplicas: 3') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['ConflictingDefaults'] },
  },
  ...[
    'scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: x }',
    'enabled: false',
    'replicas: 3',
  ].map((values): Row => ({
    section: '5',
    name: `defaults may not set ${values.split(':')[0] ?? ''}`,
    steps: [{ 'a.yaml': native('a') }, { 'd.yaml': defaults('d', values) }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Forbidden'] },
  })),
  {
    section: '5',
    name: 'an evaluation error of a guardrail denies',
    steps: [{ 'a.yaml': a }, { 'g.yaml': guardrail('object.spec.nothing > 1'), 'a.yaml': max('a', 20) }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Guardrail'] },
  },
  {
    section: '5',
    name: 'an evaluation error for one policy alone denies',
    steps: [{ 'a.yaml': a }, { 'g.yaml': guardrail('object.spec.replicas > 1'), 'a.yaml': max('a', 20) }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Guardrail'] },
  },
  {
    section: '5',
    name: 'a result that is no boolean denies, or does not compile',
    steps: [{ 'a.yaml': a }, { 'g.yaml': guardrail('object.spec.maxReplicas'), 'a.yaml': max('a', 20) }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Guardrail'] },
  },
  {
    section: '5',
    name: 'a guardrail that does not compile is an error of its transaction: the root',
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a') },
      { 'g.yaml': guardrail('object.spec.maxReplicas <'), 'teams/shop/a.yaml': own('a', 20) },
    ],
    want: { result: 'partial', bounds: ['shop/a 1-20'], codes: ['InvalidValue'] },
  },
];

const transactions: readonly Row[] = [
  {
    section: '6',
    name: 'an error keeps its tenant, the other advances; every error of the commit is reported at once',
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/a.yaml': own('a', 0),
        'teams/shop/x.yaml': broken,
        'teams/shop/w.yaml': policyYaml('w', { namespace: 'pay' }),
        'teams/pay/b.yaml': own('b', 20),
        'g.yaml': guardrail('object.spec.maxReplicas <'),
      },
    ],
    want: {
      result: 'partial',
      bounds: ['pay/b 1-20', 'shop/a 1-10'],
      codes: ['InvalidValue', 'NamespaceNotAllowed', 'OutOfRange', 'Syntax'],
    },
  },
  {
    section: '6',
    name: 'a root that breaks a tenant that was valid does not advance; nothing else waits for it',
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b', 3) },
      { 'g.yaml': guardrail('object.spec.maxReplicas <= 5'), 'teams/pay/b.yaml': own('b', 4) },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-4', 'shop/a 1-10'], codes: ['BreaksTenant'] },
  },
  {
    section: '6',
    name: 'a tenant that has nothing in force was not valid before: the new root judges it',
    options: { tenants },
    steps: [
      {
        'g.yaml': guardrail('object.spec.maxReplicas <= 5'),
        'teams/shop/a.yaml': own('a'),
        'teams/pay/b.yaml': own('b', 3),
      },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-3'], codes: ['Guardrail'] },
  },
  {
    section: '6',
    name: 'a tenant that needs the new root waits for it, without an error of its own',
    options: { tenants },
    steps: [
      {
        'g.yaml': guardrail('object.spec.maxReplicas <= 10'),
        'teams/shop/a.yaml': own('a'),
        'teams/pay/b.yaml': own('b', 3),
      },
      {
        'g.yaml': guardrail('object.spec.maxReplicas <= 20 && object.spec.maxReplicas != 3'),
        'teams/shop/a.yaml': own('a', 15),
      },
    ],
    want: { result: 'rejected', bounds: ['pay/b 1-3', 'shop/a 1-10'], codes: ['BreaksTenant'] },
  },
  {
    section: '6',
    name: 'a root that needs a held tenant waits for it, and breaks no other tenant',
    options: { tenants },
    replicas: { 'shop/a': 10 },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b', 3) },
      { 'g.yaml': guardrail('object.spec.maxReplicas <= 5'), 'teams/shop/a.yaml': own('a', 4) },
    ],
    want: { result: 'held', bounds: ['pay/b 1-3', 'shop/a 1-10'], codes: ['ScaleInByBound'] },
  },
  {
    section: '6',
    name: 'what no longer resolves stays in force where its tenant is rejected: a server that the configuration lost',
    steps: [
      async (bench) => {
        await bench.restart({ read: { prometheusServers: new Set(['prom']) } });
        await bench.commit({
          'a.yaml': native(
            'a',
            "  maxReplicas: 10\n  metrics: [{ type: Prometheus, prometheus: { server: prom, query: up, target: { type: Value, value: '1' } } }]\n",
          ),
          'b.yaml': native('b'),
        });
        await bench.restart({ read: { prometheusServers: new Set() } });
        await bench.commit({ 'b.yaml': native('b').replace('10', '20') });
      },
    ],
    want: { result: 'rejected', bounds: both, codes: ['NotSupported'] },
  },
  ...[
    { what: 'a ConfigMap', text: configMap('a') },
    { what: 'PolicyDefaults', text: defaults('a', 'minReplicas: 2') },
    { what: 'a PolicyTest', text: support('PolicyTest', 'a', '{ policy: b, cases: [] }') },
    { what: 'a document without a kind', text: 'metadata: { name: a, namespace: shop }\n' },
    {
      what: 'another autoscaler',
      text: a
        .replace('HorizontalPodAutoscaler', 'HorizontalScaler')
        .replace('autoscaling/v2', 'example.com/v1'),
    },
  ].map(({ what, text }): Row => ({
    section: '6',
    name: `a policy that becomes ${what} under its name, in its file, stays in force`,
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': text }],
    want: { result: 'rejected', bounds: both, codes: ['KindChanged'] },
  })),
  {
    section: '6',
    name: 'a policy whose kind is misspelt stays in force',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': a.replace('HorizontalPodAutoscaler', 'HorizontalPodAutoscalerr') },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'UnknownKind'] },
  },
  {
    section: '6',
    name: 'a policy that is deleted beside a Deployment of its name in its file is gone: no kind was changed',
    steps: [{ 'a.yaml': `${configMap('a')}---\n${a}`, 'b.yaml': b }, { 'a.yaml': configMap('a') }],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    section: '6',
    name: 'an HPA that becomes an AutoscalingPolicy of its name is a policy still',
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': native('a') }],
    want: { result: 'active', bounds: both, codes: [] },
  },
  {
    section: '6',
    name: 'a guardrail in force that can no longer be read is an error of its tenant: the root',
    options: { tenants },
    steps: [
      { 'g.yaml': guardrail('object.spec.maxReplicas <= 10'), 'teams/shop/a.yaml': own('a') },
      { 'g.yaml': 'kind: PolicyGuardrail\nx: [', 'teams/shop/a.yaml': own('a', 20) },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Guardrail', 'PolicyUnreadable', 'Syntax'] },
  },
  {
    section: '6',
    name: 'a removal is uncertain beside a changed file with a document of ours left untaken',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      {
        'a.yaml': null,
        'x/kustomization.yaml': kustomization('resources: []'),
        'x/c.yaml': policyYaml('c'),
      },
    ],
    want: { result: 'rejected', bounds: both, codes: ['RemovalUncertain'] },
  },
  {
    section: '6',
    name: 'a removal is certain beside a file that could not be read before either',
    steps: [{ 'a.yaml': a, 'b.yaml': b, 'x.yaml': 'x: [' }, { 'a.yaml': null }],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    section: '6',
    name: "a removal is certain whatever is unreadable in another tenant's directory",
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'teams/pay/x.yaml': broken },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-10', 'shop/k 1-10'], codes: ['Syntax'] },
  },
  {
    section: '6',
    name: 'a release by name is the way out of an uncertain removal, while its tenant is rejected',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': null, 'x.yaml': broken },
      (bench) => bench.sync.release('shop/a', request),
      (bench) => bench.look(),
    ],
    want: { bounds: ['shop/b 1-10'], codes: ['Syntax'] },
  },
  {
    section: '6',
    name: 'a release by name leaves also while its source is held, and puts nothing of the held commit in force',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      (bench) => bench.commit({ 'b.yaml': max('b', 20) }, { parents: [] }),
      (bench) => bench.sync.release('shop/a', request),
      (bench) => bench.look(),
    ],
    want: { bounds: ['shop/b 1-10'], codes: ['NotDescendant'] },
  },
  {
    section: '6',
    name: 'a release by pull request that would empty the source is held',
    steps: [{ 'a.yaml': a }, { 'a.yaml': annotated(a, 'plimsoll.dev/release') }],
    want: { result: 'held', bounds: ['shop/a 1-10'], codes: ['PruneToEmpty'] },
  },
  {
    section: '6',
    name: 'a release by name is what an approver asked for: it empties the source',
    steps: [{ 'a.yaml': a }, (bench) => bench.sync.release('shop/a', request), (bench) => bench.look()],
    want: { bounds: [], codes: [] },
  },
  {
    section: '6',
    name: 'a release by pull request waits for its tenant, which is rejected',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': annotated(a, 'plimsoll.dev/release'), 'b.yaml': max('b', 0) },
    ],
    want: { result: 'rejected', bounds: both, codes: ['OutOfRange'] },
  },
  {
    section: '6',
    name: 'a released policy is not in force for another source that takes it up',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': annotated(a, 'plimsoll.dev/release') },
      (bench) => bench.beside('other', { 'a.yaml': max('a', 7) }),
    ],
    want: { result: 'active', bounds: ['shop/a 1-7', 'shop/b 1-10'], codes: [] },
  },
  {
    section: '6',
    name: 'a policy that is released in one tenant and taken up by another in one commit moves with both',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/a.yaml': annotated(own('a'), 'plimsoll.dev/release'),
        'teams/pay/a.yaml': own('a', 20),
        'teams/pay/b.yaml': own('b', 0),
      },
    ],
    want: { result: 'rejected', bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10'], codes: ['OutOfRange'] },
  },
];

const configuration: readonly Row[] = [
  ...(
    [
      { what: 'exclude', change: { exclude: ['x'] } },
      { what: 'include', change: { include: ['b.yaml'] } },
      { what: 'path', change: { path: 'y' } },
    ] as const
  ).map(({ what, change }): Row => ({
    section: '6',
    name: `a changed ${what} by which a policy leaves holds the source, across a restart`,
    steps: [
      { 'x/a.yaml': a, 'b.yaml': b, 'y/c.yaml': policyYaml('c') },
      (bench) => bench.reconfigure(change),
      (bench) => bench.restart(),
      (bench) => bench.look(),
    ],
    want: { bounds: [...both, 'shop/c 1-10'], codes: ['SourceChanged'] },
  })),
  {
    section: '6',
    name: 'a changed namespace of the source holds it: what has no namespace of its own leaves',
    options: { namespace: 'one' },
    steps: [{ 'a.yaml': own('a'), 'b.yaml': b }, (bench) => bench.reconfigure({ namespace: 'two' })],
    want: { result: 'held', bounds: ['one/a 1-10', 'shop/b 1-10'], codes: ['SourceChanged'] },
  },
  {
    section: '1',
    name: 'a policy outside the namespaces is not taken, with a warning, and blocks no tenant',
    options: { managed: { namespaces: ['shop'], outside: 'warning' } },
    steps: [
      { 'a.yaml': a, 'b.yaml': b, 'x.yaml': policyYaml('x', { namespace: 'pay' }) },
      { 'b.yaml': null, 'x.yaml': policyYaml('x', { namespace: 'pay', max: 0 }) },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '1',
    name: 'with strict namespaces it is an error of its tenant',
    options: { managed: { namespaces: ['shop'], outside: 'error' } },
    steps: [{ 'a.yaml': a }, { 'a.yaml': max('a', 20), 'x.yaml': policyYaml('x', { namespace: 'pay' }) }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['NamespaceNotManaged'] },
  },
  {
    section: '1',
    name: 'namespaces by which a policy is outside hold the source, until a person approves',
    steps: [
      { 'a.yaml': a, 'x.yaml': policyYaml('x', { namespace: 'pay' }) },
      async (bench) => {
        await bench.reconfigure({ managed: { namespaces: ['shop'], outside: 'warning' } });
        expect([bench.last?.result, bench.bounds()]).toEqual(['held', ['pay/x 1-10', 'shop/a 1-10']]);
        expect(bench.codes()).toEqual(['SourceChanged']);
        await bench.approveAll();
      },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '6',
    name: 'tenants by which a policy is outside all of them reject, and keep everything',
    steps: [
      { 'teams/shop/a.yaml': a, 'x/b.yaml': b },
      (bench) => bench.reconfigure({ tenants: [{ name: 'shop', path: 'teams/shop' }] }),
    ],
    want: { result: 'rejected', bounds: both, codes: ['OutsideTenants'] },
  },
  {
    section: '6',
    name: 'tenants by which nothing leaves are taken',
    steps: [
      { 'teams/shop/a.yaml': a, 'teams/pay/b.yaml': b },
      (bench) =>
        bench.reconfigure({
          tenants: [
            { name: 'shop', path: 'teams/shop' },
            { name: 'pay', path: 'teams/pay' },
          ],
        }),
      { 'teams/pay/b.yaml': max('b', 0), 'teams/shop/a.yaml': max('a', 20) },
    ],
    want: { result: 'partial', bounds: ['shop/a 1-20', 'shop/b 1-10'], codes: ['OutOfRange'] },
  },
  {
    section: '6',
    name: 'a changed configuration is judged on the last good commit while Git is down',
    steps: [
      { 'x/a.yaml': a, 'b.yaml': b },
      async (bench) => {
        bench.origin.isDown = true;
        await bench.reconfigure({ exclude: ['x'] });
        expect([bench.bounds(), bench.codes()]).toEqual([both, ['SourceChanged']]);
        await bench.look();
        expect(bench.last?.result).toBe('failed');
        await bench.approveAll();
      },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    section: '6',
    name: 'a release by name is carried out while Git is down',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      async (bench) => {
        bench.origin.isDown = true;
        bench.last = await bench.sync.release('shop/a', request);
      },
    ],
    want: { bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    section: '6',
    name: 'verify that is turned on judges what is in force: an unsigned commit holds, and everything stays',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      (bench) => bench.restart({ verify: { line: 'FirstParent', trusted: {} } }),
      { 'a.yaml': max('a', 20) },
    ],
    want: { result: 'held', bounds: both, codes: ['Unverified'] },
  },
  {
    section: '6',
    name: 'a new URL that cannot be reached keeps the old set',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      async (bench) => {
        const { location } = bench.configuration;
        await bench.restart({ location: { ...location, url: 'file:///elsewhere' } });
        bench.origin.isDown = true;
        await bench.look();
      },
    ],
    want: { result: 'failed', bounds: both, codes: [] },
  },
  {
    section: '6',
    name: 'a removed source keeps its policies until their leaving is approved',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      async (bench) => {
        const retired = await bench.retired();
        expect(retired.holds()).toMatchObject([
          { causes: [{ code: 'SourceChanged', items: ['shop/a', 'shop/b'] }] },
        ]);
        await retired.approve('another', request);
        expect(bench.bounds()).toEqual(both);
        await retired.approve(retired.holds()[0]?.digest ?? '', request);
        expect(bench.journal.changes.slice(-2).map(({ departure }) => departure)).toEqual([
          'SourceRemoved',
          'SourceRemoved',
        ]);
      },
    ],
    want: { bounds: [], codes: [] },
  },
];

describeRows('documents', documents);
describeRows('transactions', transactions);
describeRows('configuration', configuration);
