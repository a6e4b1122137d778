import { describeRows, type Row, tenants } from '../testing/bad-commits.ts';
import { a, b, both, kustomization, native, own, policyYaml } from '../testing/policy-yaml.ts';

const managed: Row['options'] = { managed: { namespaces: ['shop'], outside: 'warning' } };
const stray = policyYaml('b', { namespace: 'shpo' });
const stayed: Row['want'] = { result: 'rejected', bounds: both, codes: ['RemovalUncertain'] };

/** By a namespace that is not managed. */
const strays: readonly Row[] = [
  {
    section: '1',
    name: 'a policy whose namespace a commit changes to one that is not managed stays in force',
    options: managed,
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'b.yaml': stray }],
    want: stayed,
  },
  {
    section: '1',
    name: 'so it does in a file of a new name',
    options: managed,
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'b.yaml': null, 'x/b.yaml': stray },
    ],
    want: stayed,
  },
  {
    section: '1',
    name: 'so it does as another kind, beside one that stays',
    options: managed,
    steps: [
      { 'a.yaml': `${a}---\n${b}` },
      { 'a.yaml': `${a}---\n${native('b').replace('namespace: shop', 'namespace: shpo')}` },
    ],
    want: stayed,
  },
  {
    section: '1',
    name: 'so it does where its kustomization gives the other namespace, and its file did not change',
    options: managed,
    steps: [
      {
        'a.yaml': a,
        'x/kustomization.yaml': kustomization('namespace: shop', 'resources: [b.yaml]'),
        'x/b.yaml': own('b'),
      },
      { 'x/kustomization.yaml': kustomization('namespace: shpo', 'resources: [b.yaml]') },
    ],
    want: stayed,
  },
  {
    section: '1',
    name: 'its removal becomes certain with its document deleted',
    options: managed,
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'b.yaml': stray }, { 'b.yaml': null }],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '1',
    name: "a tenant's namespaces judge what is taken: a namespace that is not managed is none",
    options: { ...managed, tenants },
    steps: [{ 'teams/shop/a.yaml': own('a'), 'teams/shop/b.yaml': own('b') }, { 'teams/shop/b.yaml': stray }],
    want: stayed,
  },
  {
    section: '1',
    name: 'with strict namespaces both are errors of its tenant',
    options: { managed: { namespaces: ['shop'], outside: 'error' } },
    steps: [{ 'a.yaml': a, 'b.yaml': b }, { 'b.yaml': stray }],
    want: { result: 'rejected', bounds: both, codes: ['NamespaceNotManaged', 'RemovalUncertain'] },
  },
  {
    section: '1',
    name: "a removal is certain beside another controller's policy of its name that was there",
    options: managed,
    steps: [
      { 'a.yaml': a, 'b.yaml': `${b}---\n${policyYaml('b', { namespace: 'pay' })}` },
      { 'b.yaml': policyYaml('b', { namespace: 'pay', max: 20 }) },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '1',
    name: "a removal is certain beside another controller's policy of another name in another file",
    options: managed,
    steps: [
      { 'a.yaml': a, 'b.yaml': b },
      { 'b.yaml': null, 'x.yaml': policyYaml('x', { namespace: 'pay' }) },
    ],
    want: { result: 'active', bounds: ['shop/a 1-10'], codes: [] },
  },
  {
    section: '1',
    name: 'a changed list of namespaces holds the source, also where the document changes with it',
    steps: [
      { 'a.yaml': a, 'b.yaml': b, 'x.yaml': native('x').replace('namespace: shop', 'namespace: pay') },
      (bench) => bench.restart({ repository: { ...bench.configuration.repository, ...managed } }),
      { 'x.yaml': policyYaml('x', { namespace: 'pay' }) },
    ],
    want: { result: 'held', bounds: ['pay/x 1-10', ...both], codes: ['SourceChanged'] },
  },
];

describeRows('namespaces that are not managed', strays);
