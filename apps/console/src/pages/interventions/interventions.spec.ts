import { describe, expect, it } from '@jest/globals';
import { enderOf } from './ender-of.ts';
import type { EndedIntervention } from './intervention-requests.ts';
import { type InterventionScope, operatorOf, scopeLink, scopeText } from './intervention-scope.ts';
import { interventionTerms } from './intervention-terms.ts';

const everywhere = { namespaces: ['*'] };

describe('the scope of an intervention', () => {
  it.each<{
    readonly scope: InterventionScope;
    readonly text: string;
    readonly link: string;
    readonly required: object;
  }>([
    {
      scope: { kind: 'Policy', namespace: 'shop', name: 'a b' },
      text: 'shop/a b',
      link: '/policies/shop/a%20b',
      required: { namespaces: ['shop'] },
    },
    {
      scope: { kind: 'Namespace', namespace: 'shop' },
      text: 'namespace shop',
      link: '/?namespace=shop',
      required: { namespaces: ['shop'] },
    },
    {
      scope: { kind: 'Source', source: 'policies' },
      text: 'source policies',
      link: '/sources/policies',
      required: { place: 'every namespace that it is for' },
    },
    {
      scope: { kind: 'MetricSource', metricSource: 'prometheus/main' },
      text: 'what prometheus/main scales',
      link: '/',
      required: everywhere,
    },
    { scope: { kind: 'Cluster' }, text: 'every policy', link: '/', required: everywhere },
  ])('of kind $scope.kind is named, leads to its policies, and wants an operator there', (row) => {
    const { scope, text, link, required } = row;
    expect(scopeText(scope)).toBe(text);
    expect(scopeLink(scope)).toBe(link);
    expect(operatorOf(scope)).toEqual({ role: 'operator', ...required });
  });

  it('wants an operator of any namespace while none is named', () => {
    const required = { role: 'operator', place: 'the namespace that it is for' };
    expect(operatorOf({ kind: 'Namespace' })).toEqual(required);
    expect(operatorOf({ kind: 'Namespace', namespace: '' })).toEqual(required);
  });
});

describe('the end of interventions', () => {
  const of = (
    scope: InterventionScope,
    ...viewerRoles: EndedIntervention['viewerRoles']
  ): EndedIntervention => ({
    ...{ id: 'one', kind: 'Suspend', scope, viewerRoles },
  });
  const policy = of({ kind: 'Policy', namespace: 'shop', name: 'web' }, 'viewer', 'operator');
  const shop = { kind: 'Source', source: 'shop' } as const;
  const itsNamespaces = { role: 'operator', place: 'every namespace that it is for' };

  it.each([
    {
      name: 'of policies is for operators of their namespaces',
      given: [policy],
      want: { role: 'operator', namespaces: ['shop'] },
    },
    {
      name: 'of a source is for whom the server says is an operator of all of it',
      given: [of(shop, 'viewer', 'operator')],
      want: { ...itsNamespaces, roles: ['viewer', 'operator'] },
    },
    {
      name: 'of several is for nobody who may not end that of a source among them',
      given: [policy, of(shop, 'viewer')],
      want: { ...itsNamespaces, roles: ['viewer'] },
    },
  ])('$name', ({ given, want }) => {
    expect(enderOf(given)).toEqual(want);
  });
});

const nothing = { direction: null, minReplicas: null, maxReplicas: null, replicas: null };

describe('the terms of an intervention', () => {
  it.each([
    { given: nothing, want: '' },
    { given: { ...nothing, direction: 'Down' as const }, want: 'down: nothing shrinks' },
    { given: { ...nothing, minReplicas: 0, maxReplicas: 9 }, want: 'at least 0, at most 9' },
    { given: { ...nothing, replicas: 4 }, want: 'exactly 4' },
  ])('are $want', ({ given, want }) => {
    expect(interventionTerms(given)).toBe(want);
  });
});
