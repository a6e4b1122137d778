import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: a, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}
  maxReplicas: 3
`;

describe('the command line of plimsoll validate', () => {
  let tree: FileTree;

  beforeEach(() => {
    tree = makeTree({ 'policies/a.yaml': policy, 'hack/b.yaml': policy });
  });

  afterEach(() => tree.remove());

  it.each([
    { args: ['--root', '.', '--exclude', 'hack', '.'], status: 0, stdout: 'valid: 1 policy in 1 file' },
    {
      args: ['--exclude', 'hack', '--exclude', 'policies', '.'],
      status: 1,
      stdout: 'nothing looked at',
      stderr: 'plimsoll: no file was looked at: none of 2 YAML files is read',
    },
    { args: ['--exclude', '*', '--allow-empty'], status: 0, stderr: 'plimsoll: no file was looked at' },
    { args: ['--path', 'polices'], status: 2, stderr: 'plimsoll: path polices is not in the tree' },
  ])('$args ends with $status', ({ args, status, stdout = '', stderr = '' }) => {
    const run = runCli(tree.folder, ['validate', ...args]);
    expect(run).toMatchObject({
      status,
      stdout: expect.stringContaining(stdout),
      stderr: expect.stringContaining(stderr),
    });
  });
});
