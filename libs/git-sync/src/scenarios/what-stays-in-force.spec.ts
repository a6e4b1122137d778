import { expect } from '@jest/globals';
import {
  broken,
  configMap,
  describeRows,
  neighbours,
  on,
  type Row,
  tenants,
} from '../testing/bad-commits.ts';
import { a, b, both, kustomization, max, native, own, policyYaml } from '../testing/policy-yaml.ts';

const lfsPointer = `version https://git-lfs.github.com/spec/v1
oid sha256:${'0'.repeat(64)}
size 12345
`;

const reading: readonly Row[] = [
  {
    section: '1',
    name: 'a policy outside the tenants is an error of the root; the tenants advance',
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a') },
      { 'x.yaml': policyYaml('x'), 'teams/shop/a.yaml': own('a', 20) },
    ],
    want: { result: 'partial', bounds: ['shop/a 1-20'], codes: ['OutsideTenants'] },
  },
  {
    section: '1',
    name: "a tenant touches no namespace but its own, also where a kustomization names another's",
    options: { tenants },
    steps: [
      { 'teams/pay/b.yaml': own('b') },
      {
        'teams/pay/k/kustomization.yaml': kustomization('namespace: shop', 'resources: [c.yaml]'),
        'teams/pay/k/c.yaml': own('c'),
      },
    ],
    want: { result: 'rejected', bounds: ['pay/b 1-10'], codes: ['NamespaceNotAllowed'] },
  },
  {
    section: '1',
    name: "a tenant's limits are errors: replicas, schedules included",
    options: { tenants: [{ name: 'shop', path: 'teams/shop', limits: { maxReplicas: 10 } }] },
    steps: [{ 'teams/shop/a.yaml': native('a') }, { 'teams/shop/a.yaml': native('a').replace('10', '11') }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['TenantLimit'] },
  },
  ...[
    { what: 'a dot folder', path: '.github/a.yaml', beside: {} },
    { what: 'templates beside a chart', path: 'x/templates/a.yaml', beside: { 'x/Chart.yaml': 'name: x\n' } },
    { what: 'what is excluded', path: 'sandbox/a.yaml', beside: {} },
  ].map(({ what, path, beside }): Row => ({
    section: '2',
    name: `${what} is never read, whatever a negation says`,
    options: { exclude: ['sandbox'] },
    steps: [{ 'b.yaml': b, [path]: a, '.plimsollignore': `!${path}\n!**/templates/**\n`, ...beside }],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  })),
  ...(['120000', '160000'] as const).map((mode): Row => ({
    section: '2',
    name: `a symbolic link or a submodule (${mode}) is never read; a policy behind it stays in force`,
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': { mode } }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  })),
  ...(['120000', '160000'] as const).map((mode): Row => ({
    section: '2',
    name: `a tenant's folder that becomes a link or a submodule (${mode}) keeps its policy`,
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'teams/shop': { mode } },
    ],
    want: { bounds: ['pay/b 1-10', 'shop/a 1-10'], codes: ['PolicyUnreadable'] },
  })),
  {
    section: '2',
    name: "an ignore file inside a tenant does not reach another's directory",
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/.plimsollignore': '../pay/*\n/teams/pay/*\n**/b.yaml\n' },
    ],
    want: { result: 'active', bounds: ['pay/b 1-10', 'shop/a 1-10'], codes: [] },
  },
  {
    section: '2',
    name: 'a file that names none of our kinds and cannot be parsed is a warning, and holds nothing up',
    steps: [{ 'a.yaml': a }, { 'x.yaml': 'kind: [', 'b.yaml': b }],
    want: { result: 'active', bounds: both, codes: [] },
  },
  {
    section: '2',
    name: 'the same file is an error where it held a policy in force',
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': 'x: [' }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'Syntax'] },
  },
  {
    section: '2',
    name: 'a file that is moved to Git LFS is an error where it held a policy in force',
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': lfsPointer }],
    want: { result: 'rejected', bounds: both, codes: ['GitLfsPointer', 'PolicyUnreadable'] },
  },
  {
    section: '2',
    name: 'a pointer into Git LFS that held none is a warning, and holds nothing up',
    steps: [{ 'a.yaml': a }, { 'x.yaml': lfsPointer, 'b.yaml': b }],
    want: { result: 'active', bounds: both, codes: [] },
  },
  {
    section: '2',
    name: 'a removal beside a new pointer into Git LFS is uncertain',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': null, 'x.yaml': lfsPointer },
    ],
    want: { result: 'rejected', bounds: both, codes: ['RemovalUncertain'] },
  },
  {
    section: '2',
    name: 'a file that cannot be parsed is an error where it names one of our kinds',
    steps: [{ 'a.yaml': a }, { 'x.yaml': broken, 'b.yaml': b }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Syntax'] },
  },
  {
    section: '2',
    name: 'a file over the size limit is an error where it held a policy in force',
    options: { limits: { fileBytes: 2_000, files: 50, documentsPerFile: 3, aliasExpansions: 10 } },
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': `${a}#${'x'.repeat(2_000)}` }],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'TooLarge'] },
  },
  {
    section: '2',
    name: 'too many documents are an error where they name one of our kinds',
    options: { limits: { fileBytes: 9_000, files: 50, documentsPerFile: 3, aliasExpansions: 10 } },
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'x.yaml': `a: 1\n---\nb: 1\n---\nc: 1\n---\n${policyYaml('c')}` },
    ],
    want: { result: 'rejected', bounds: both, codes: ['TooManyDocuments'] },
  },
  {
    section: '2',
    name: 'a collection as a mapping key is an error',
    steps: [
      { 'a.yaml': a },
      { 'b.yaml': policyYaml('b').replace('maxReplicas: 10', 'maxReplicas: {{ .x }}') },
    ],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['InvalidKey'] },
  },
  {
    section: '2',
    name: 'a placeholder in a number is an error',
    steps: [{ 'a.yaml': a }, { 'b.yaml': policyYaml('b').replace('maxReplicas: 10', 'maxReplicas: ${MAX}') }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Placeholder'] },
  },
  {
    section: '2',
    name: 'a removed version is an error, an old one and a status are warnings, which hold nothing up',
    steps: [
      { 'a.yaml': a.replace('autoscaling/v2', 'autoscaling/v2beta2') },
      { 'b.yaml': `${b}status: { currentReplicas: 3, desiredReplicas: 3, conditions: [] }\n` },
      { 'a.yaml': a.replace('autoscaling/v2', 'extensions/v1beta1') },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable', 'RemovedVersion'] },
  },
  {
    section: '3',
    name: 'a patch is no policy; a resource that none lists and one to be rendered are warnings',
    steps: [
      {
        'x/kustomization.yaml': kustomization('resources: [b.yaml]', 'patches: [{ path: patch.yaml }]'),
        'x/b.yaml': configMap('b'),
        'x/patch.yaml': policyYaml('patch'),
        'x/unlisted.yaml': policyYaml('unlisted'),
        'y/kustomization.yaml': kustomization('resources: [c.yaml]', 'nameSuffix: -x'),
        'y/c.yaml': policyYaml('c'),
        'a.yaml': a,
      },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '3',
    name: 'a resource whose ways up end in two namespaces is taken in neither; in force it stays',
    steps: [
      {
        'base/kustomization.yaml': kustomization('resources: [a.yaml]'),
        'base/a.yaml': own('a'),
        'one/kustomization.yaml': kustomization('namespace: one', 'resources: [../base]'),
        'b.yaml': b,
      },
      { 'two/kustomization.yaml': kustomization('namespace: two', 'resources: [../base]') },
    ],
    want: { result: 'rejected', bounds: ['one/a 1-10', 'shop/b 1-10'], codes: ['PolicyUnreadable'] },
  },
  {
    section: '3',
    name: "a kustomization that lists another tenant's policy is an error of its own tenant only",
    options: { tenants },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/pay/kustomization.yaml': kustomization(
          'namespace: pay',
          'resources: [b.yaml, ../shop/a.yaml]',
        ),
        'teams/pay/b.yaml': own('b', 20),
        'teams/shop/a.yaml': own('a', 30),
      },
    ],
    want: { result: 'partial', bounds: ['pay/b 1-10', 'shop/a 1-30'], codes: ['ForeignResource'] },
  },
  {
    section: '3',
    name: 'a missing file, a cycle and a path above the repository are warnings where nothing is in force there',
    steps: [
      {
        'a.yaml': a,
        'x/kustomization.yaml': kustomization('resources: [gone.yaml, ../../../above, ../y]'),
        'y/kustomization.yaml': kustomization('resources: [../x]'),
      },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
];

const identity: readonly Row[] = [
  {
    section: '4',
    name: 'no namespace from anywhere is an error, never default',
    steps: [{ 'a.yaml': a }, { 'c.yaml': own('c') }],
    want: { result: 'rejected', bounds: ['shop/a 1-10'], codes: ['Required'] },
  },
  {
    section: '4',
    name: 'a changed namespace is a removal and an addition',
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'a.yaml': policyYaml('a', { namespace: 'pay' }) }],
    want: { result: 'active', bounds: ['pay/a 1-10', 'shop/b 1-10'], codes: [] },
  },
  {
    section: '4',
    name: 'a copy of a policy in force beside it is an error of the copy',
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'copy.yaml': a }],
    want: { result: 'rejected', bounds: both, codes: ['DuplicateName'] },
  },
  {
    section: '4',
    name: 'a duplicate of a target in another version is an error of the newcomer',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      {
        'c.yaml': policyYaml('c').replace(
          'apps/v1, kind: Deployment, name: c',
          'apps/v1beta1, kind: Deployment, name: a',
        ),
      },
    ],
    want: { result: 'rejected', bounds: both, codes: ['DuplicateTarget'] },
  },
  {
    section: '4',
    name: "another tenant's newcomer with a name in force is the newcomer's error alone",
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': own('a', 20), 'teams/pay/a.yaml': on('a', 'other') },
    ],
    want: { result: 'partial', bounds: ['one/a 1-20', 'one/b 1-10'], codes: ['DuplicateName'] },
  },
  {
    section: '4',
    name: 'who moves its policy to another file is no newcomer to its name either',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'teams/shop/x.yaml': own('a', 20), 'teams/pay/a.yaml': own('a', 30) },
    ],
    want: {
      result: 'partial',
      bounds: ['one/a 1-20', 'one/b 1-10'],
      codes: ['DuplicateName'],
    },
  },
  {
    section: '4',
    name: 'who changes the target of its policy is no newcomer to its name',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': on('a', 'z', 20), 'teams/pay/a.yaml': on('a', 'other') },
    ],
    want: { result: 'partial', bounds: ['one/a 1-20', 'one/b 1-10'], codes: ['DuplicateName'] },
  },
  {
    section: '4',
    name: 'two newcomers of two tenants are errors of both',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/c.yaml': on('c', 'x'), 'teams/pay/c.yaml': on('c', 'w') },
    ],
    want: {
      result: 'rejected',
      bounds: ['one/a 1-10', 'one/b 1-10'],
      codes: ['DuplicateName', 'DuplicateName'],
    },
  },
  {
    section: '4',
    name: 'a newcomer of a rejected tenant does not take a healthy newcomer with it, and gets the conflict',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/c.yaml': on('c', 'x'),
        'teams/shop/a.yaml': own('a', 0),
        'teams/pay/c.yaml': on('c', 'w'),
      },
    ],
    want: {
      result: 'partial',
      bounds: ['one/a 1-10', 'one/b 1-10', 'one/c 1-10'],
      codes: ['DuplicateName', 'OutOfRange'],
    },
  },
  {
    section: '4',
    name: "a newcomer against a rejected tenant's policy in force is an error: that policy stays",
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': own('a', 0), 'teams/pay/a.yaml': on('a', 'w') },
    ],
    want: {
      result: 'rejected',
      bounds: ['one/a 1-10', 'one/b 1-10'],
      codes: ['DuplicateName', 'OutOfRange'],
    },
  },
  {
    section: '4',
    name: 'a newcomer that is refused anyway takes no third one with it',
    options: {
      tenants: [...neighbours, { name: 'third', path: 'teams/third', namespace: 'one' }],
    },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b'), 'teams/third/t.yaml': own('t') },
      {
        'teams/pay/x.yaml': on('a', 'q'),
        'teams/pay/c.yaml': on('c', 'w'),
        'teams/third/c.yaml': on('c', 'z'),
      },
    ],
    want: {
      result: 'partial',
      bounds: ['one/a 1-10', 'one/b 1-10', 'one/c 1-10', 'one/t 1-10'],
      codes: ['DuplicateName', 'DuplicateName'],
    },
  },
  {
    section: '4',
    name: 'conflicts within a tenant that is rejected for another error are reported with it',
    steps: [
      { 'a.yaml': a },
      {
        'a.yaml': max('a', 0),
        'c.yaml': policyYaml('c'),
        'd.yaml': policyYaml('c').replace('name: c }', 'name: d }'),
      },
    ],
    want: {
      result: 'rejected',
      bounds: ['shop/a 1-10'],
      codes: ['DuplicateName', 'OutOfRange'],
    },
  },
  {
    section: '4',
    name: 'a conflict of a document that is itself invalid is reported with its error',
    steps: [{ 'a.yaml': a }, { 'c.yaml': max('a', 0) }],
    want: {
      result: 'rejected',
      bounds: ['shop/a 1-10'],
      codes: ['DuplicateName', 'OutOfRange'],
    },
  },
  {
    section: '4',
    name: 'a conflict is judged again when the other set changes, without a new commit of its own',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      { 'teams/pay/c.yaml': on('c', 'a', 12) },
      { 'teams/shop/a.yaml': null },
    ],
    want: { result: 'active', bounds: ['one/b 1-10', 'one/c 1-12', 'one/k 1-10'], codes: [] },
  },
  {
    section: '4',
    name: "a name that another source has in force is the newcomer's error, and is judged again when it is gone",
    steps: [
      { 'b.yaml': b },
      async (bench) => {
        const other = await bench.beside('other', { 'x.yaml': policyYaml('x'), 'a.yaml': a });
        await bench.commit({ 'a.yaml': a });
        expect([bench.last?.result, bench.codes()]).toEqual(['rejected', ['DuplicateName']]);
        bench.git.remote('file:///other').commit('Gone', { 'a.yaml': null });
        await other.sync();
        await bench.look();
      },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10', 'shop/b 1-10', 'shop/x 1-10'], codes: [] },
  },
  {
    section: '4',
    name: 'tenants between which a name moves advance together: the one that gives it up is rejected',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'teams/shop/k.yaml': own('k', 0), 'teams/pay/a.yaml': own('a', 20) },
    ],
    want: { result: 'rejected', bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10'], codes: ['OutOfRange'] },
  },
  {
    section: '4',
    name: 'tenants between which a name moves advance together: the one that takes it up is held',
    options: { tenants: neighbours },
    replicas: { 'one/a': 10, 'one/b': 10, 'one/k': 2 },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'teams/pay/a.yaml': own('a', 20), 'teams/pay/b.yaml': own('b', 2) },
    ],
    want: { result: 'held', bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10'], codes: ['ScaleInByBound'] },
  },
  {
    section: '4',
    name: 'a policy that is renamed keeps its target, within its tenant',
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'a.yaml': on('c', 'a').replace('name: c', 'name: c\n  namespace: shop') },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10', 'shop/c 1-10'], codes: [] },
  },
  {
    section: '4',
    name: 'tenants that swap their names advance together',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/a.yaml': null,
        'teams/shop/b.yaml': own('b', 20),
        'teams/pay/b.yaml': null,
        'teams/pay/a.yaml': own('a', 20),
      },
    ],
    want: { result: 'active', bounds: ['one/a 1-20', 'one/b 1-20'], codes: [] },
  },
  {
    section: '4',
    name: 'tenants that swap their names advance not at all where one has an error',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/a.yaml': null,
        'teams/shop/b.yaml': own('b', 20),
        'teams/pay/b.yaml': null,
        'teams/pay/a.yaml': own('a', 0),
      },
    ],
    want: { result: 'rejected', bounds: ['one/a 1-10', 'one/b 1-10'], codes: ['OutOfRange'] },
  },
  {
    section: '4',
    name: 'a chain of moves waits for its last tenant',
    options: { tenants: [...neighbours, { name: 'third', path: 'teams/third', namespace: 'one' }] },
    steps: [
      {
        'teams/shop/a.yaml': own('a'),
        'teams/shop/k.yaml': own('k'),
        'teams/pay/b.yaml': own('b'),
        'teams/third/t.yaml': own('t'),
      },
      {
        'teams/shop/a.yaml': null,
        'teams/pay/b.yaml': null,
        'teams/pay/a.yaml': own('a', 20),
        'teams/third/b.yaml': own('b', 20),
        'teams/third/t.yaml': own('t', 0),
      },
    ],
    want: {
      result: 'rejected',
      bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10', 'one/t 1-10'],
      codes: ['OutOfRange'],
    },
  },
  {
    section: '4',
    name: 'a policy that moves out of all tenants stays where it is',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      { 'teams/shop/a.yaml': null, 'a.yaml': policyYaml('a', { namespace: 'one' }) },
    ],
    want: { bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10'], codes: ['OutsideTenants'] },
  },
  {
    section: '4',
    name: 'a tenant whose policies all move to another one is not pruned',
    options: { tenants: neighbours },
    steps: [
      { 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k'), 'teams/pay/b.yaml': own('b') },
      {
        'teams/shop/a.yaml': null,
        'teams/shop/k.yaml': null,
        'teams/pay/a.yaml': own('a'),
        'teams/pay/k.yaml': own('k'),
      },
    ],
    want: { result: 'active', bounds: ['one/a 1-10', 'one/b 1-10', 'one/k 1-10'], codes: [] },
  },
];

describeRows('reading', reading);
describeRows('identity', identity);
