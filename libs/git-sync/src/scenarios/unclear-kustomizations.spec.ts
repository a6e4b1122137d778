import { describeRows, neighbours, type Row } from '../testing/bad-commits.ts';
import { a, b, both, own } from '../testing/policy-yaml.ts';

const rows: readonly Row[] = [
  ...[
    { what: 'its base', prod: 'resources: [../bas]\nnamespace: prod\n', base: 'resources: [a.yaml]\n' },
    { what: 'its file', prod: 'resources: [../base]\nnamespace: prod\n', base: 'resources: [A.yaml]\n' },
  ].map(({ what, prod, base }): Row => ({
    section: '3',
    name: `a policy in force does not leave by a misspelt path of ${what}: a missing file is an error then`,
    options: { namespace: 'one' },
    steps: [
      {
        'base/kustomization.yaml': 'resources: [a.yaml]\n',
        'base/a.yaml': own('a'),
        'prod/kustomization.yaml': 'resources: [../base]\nnamespace: prod\n',
        'b.yaml': own('b'),
      },
      { 'prod/kustomization.yaml': prod, 'base/kustomization.yaml': base, 'b.yaml': own('b', 20) },
    ],
    want: { result: 'rejected', bounds: ['one/b 1-10', 'prod/a 1-10'], codes: ['MissingResource'] },
  })),
  {
    section: '3',
    name: 'a policy is taken off resources beside a missing file of a kustomization that did not change',
    steps: [
      {
        'k/kustomization.yaml': 'resources: [a.yaml]\n',
        'k/a.yaml': a,
        'l/kustomization.yaml': 'resources: [gone.yaml]\n',
        'b.yaml': b,
      },
      { 'k/kustomization.yaml': 'resources: []\n' },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  {
    section: '3',
    name: 'a policy is deleted with its entry, beside another one that is missing',
    steps: [
      { 'k/kustomization.yaml': 'resources: [a.yaml, gone.yaml]\n', 'k/a.yaml': a, 'b.yaml': b },
      { 'k/kustomization.yaml': 'resources: [gone.yaml]\n', 'k/a.yaml': null },
    ],
    want: { result: 'active', bounds: ['shop/b 1-10'], codes: [] },
  },
  ...['resources: a.yaml\n', 'resources:\n- a.yaml:\n', 'resource: [a.yaml]\n'].map((text): Row => ({
    section: '3',
    name: `a policy is not taken off resources by a slip of the pen: ${JSON.stringify(text)}`,
    steps: [
      { 'k/kustomization.yaml': 'resources: [a.yaml]\n', 'k/a.yaml': a, 'b.yaml': b },
      { 'k/kustomization.yaml': text },
    ],
    want: { result: 'rejected', bounds: both, codes: ['PolicyUnreadable'] },
  })),
  ...[
    { what: 'whose syntax is wrong', text: 'resources: [../base]\nnamespace: [\n', code: 'PolicyUnreadable' },
    {
      what: 'whose namespace is no text',
      text: 'resources: [../base]\nnamespace: 5\n',
      code: 'PolicyUnreadable',
    },
    { what: 'of which nothing can be read', text: '- ../base\n', code: 'RemovalUncertain' },
  ].map(({ what, text, code }): Row => ({
    section: '4',
    name: `a policy does not leave its namespace by a kustomization ${what}, whose base names none`,
    options: { namespace: 'one' },
    steps: [
      {
        'base/kustomization.yaml': 'resources: [a.yaml]\n',
        'base/a.yaml': own('a'),
        'prod/kustomization.yaml': 'resources: [../base]\nnamespace: prod\n',
        'b.yaml': own('b'),
      },
      { 'prod/kustomization.yaml': text, 'b.yaml': own('b', 20) },
    ],
    want: { result: 'rejected', bounds: ['one/b 1-10', 'prod/a 1-10'], codes: [code] },
  })),
  {
    section: '4',
    name: "a tenant's policy does not leave its namespace by a kustomization of the root of which nothing can be read",
    options: { tenants: neighbours },
    steps: [
      {
        'teams/shop/kustomization.yaml': 'resources: [a.yaml]\n',
        'teams/shop/a.yaml': own('a'),
        'top/kustomization.yaml': 'resources: [../teams/shop]\nnamespace: live\n',
        'teams/pay/b.yaml': own('b'),
        'teams/pay/c.yaml': own('c'),
      },
      { 'top/kustomization.yaml': '- ../teams/shop\n', 'teams/pay/b.yaml': own('b', 20) },
    ],
    want: {
      result: 'partial',
      bounds: ['live/a 1-10', 'one/b 1-20', 'one/c 1-10'],
      codes: ['RemovalUncertain'],
    },
  },
];

describeRows('kustomizations of which something is not known', rows);
