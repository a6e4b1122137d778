import { describe, expect, it } from '@jest/globals';
import { managersOf } from './find-managers.ts';

const labelled = (label: string, value: string): { labels: Record<string, string> } => ({
  labels: { [label]: value },
});
const writtenBy = (...managers: readonly string[]): { managedFields: { manager: string }[] } => ({
  managedFields: managers.map((manager) => ({ manager })),
});
const helm = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' };

describe('managersOf', () => {
  it.each([
    { name: 'nothing', given: {}, want: [] },
    { name: 'a person with kubectl', given: writtenBy('kubectl-client-side-apply'), want: [] },
    {
      name: 'a Helm release once, whatever else says Helm',
      given: {
        ...labelled('app.kubernetes.io/managed-by', 'Helm'),
        annotations: helm,
        ...writtenBy('helm'),
      },
      want: ['Helm release web of namespace shop'],
    },
    { name: "Helm's label alone", given: labelled('app.kubernetes.io/managed-by', 'Helm'), want: ['Helm'] },
    {
      name: 'Argo CD by its annotation',
      given: { annotations: { 'argocd.argoproj.io/tracking-id': 'app:autoscaling/X:shop/web' } },
      want: ['Argo CD application app'],
    },
    {
      name: 'Argo CD by its label',
      given: labelled('argocd.argoproj.io/instance', 'app'),
      want: ['Argo CD application app'],
    },
    {
      name: 'Argo CD by its field manager alone',
      given: writtenBy('argocd-controller'),
      want: ['Argo CD'],
    },
    {
      name: 'Flux and the Helm release that it installs',
      given: {
        labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'flux' },
        annotations: helm,
        ...writtenBy('helm-controller'),
      },
      want: ['Helm release web of namespace shop', 'Flux HelmRelease flux/web'],
    },
    {
      name: 'another tool by the common label',
      given: labelled('app.kubernetes.io/managed-by', 'jsonnet'),
      want: ['jsonnet'],
    },
    {
      name: 'an owner',
      given: { ownerReferences: [{ kind: 'App', name: 'web' }] },
      want: ['App web, which owns it'],
    },
    {
      name: 'names that are no single line',
      given: { annotations: { 'meta.helm.sh/release-name': 'a\n# b\u001b[31m\u202e' } },
      want: ['Helm release a # b [31m'],
    },
    {
      name: 'maps and lists that are none',
      given: { labels: 5, annotations: [], managedFields: {} },
      want: [],
    },
  ])('names $name', ({ given, want }) => {
    expect(managersOf(given)).toEqual(want);
  });
});
