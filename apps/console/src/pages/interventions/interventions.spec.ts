import { describe, expect, it } from '@jest/globals';
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
