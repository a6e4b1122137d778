import { describe, expect, it } from '@jest/globals';
import { runSteps } from '#kernel';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { deployerLookup } from './deployers.ts';
import { findDeployers } from './find-deployers.ts';
import { OverlayCache } from './overlay-file.ts';

const deployersIn = (text: string): readonly unknown[] =>
  runSteps(
    findDeployers({
      tree: [{ path: 'a.yaml', id: 'a', type: 'File' }],
      content: () => ({ kind: 'Bytes', bytes: new TextEncoder().encode(text) }),
      cache: new OverlayCache(),
    }),
  );

describe('findDeployers', () => {
  it('finds an Application whatever stands between its kind and its apiVersion', () => {
    const text =
      'kind: Application\nmetadata: {name: o}\nspec: {source: {path: ./o, kustomize: {namePrefix: x-}}}\napiVersion: argoproj.io/v1alpha1\n';
    expect(deployersIn(text)).toEqual([
      { file: 'a.yaml', kind: 'Application', name: 'o', path: 'o', transforms: ['namePrefix'] },
    ]);
  });

  it.each([
    { name: 'rollouts', line: 'apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n---\n' },
    { name: 'applications of another group', line: 'apiVersion: app.k8s.io/v1\nkind: Application\n---\n' },
  ])('takes time that grows with the text only: $name', ({ line }) => {
    // It would be minutes if every name were looked for again from every other one.
    runToEnd(() => {
      expect(deployersIn(line.repeat(40_000))).toEqual([]);
    });
  });
});

describe('deployerLookup', () => {
  const deployer = (path: string) => ({ file: 'f', kind: 'Kustomization', name: path, path, transforms: [] });
  const lookup = deployerLookup(['apps/shop', 'apps/shop/eu', 'teams/${TEAM}/live'].map(deployer));

  it.each([
    ['apps/shop', 'apps/shop'],
    ['apps/shop/deep', 'apps/shop'],
    ['apps/shop/eu/x', 'apps/shop/eu'],
    ['apps/shopping', undefined],
    ['apps', undefined],
    ['', undefined],
    ['teams/a/live/x', 'teams/${TEAM}/live'],
    ['teams/a', undefined],
    ['teams/a/test', undefined],
  ])('finds who deploys %j', (folder, want) => {
    expect(lookup(folder)?.path).toBe(want);
  });

  it('finds one of the whole repository everywhere', () => {
    expect(deployerLookup([deployer('')])('any/folder')?.path).toBe('');
  });
});
