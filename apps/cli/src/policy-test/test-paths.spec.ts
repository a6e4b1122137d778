import { afterEach, describe, expect, it } from '@jest/globals';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics: [{type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: 1}}}]
`;
const defaults = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: {name: all}
spec: {values: {maxReplicas: 6}}
`;
const test = (desired: number, name = 'web'): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyTest
metadata: {name: web}
spec:
  policy: {namespace: shop, name: ${name}}
  cases:
    - name: stops at the maximum of the defaults
      observation:
        time: "2026-11-20T12:00:00Z"
        scale: {specReplicas: 5, statusReplicas: 5, selector: app=web}
        metrics: [{values: [9]}]
      expect:
        desiredReplicas: ${desired}
`;

describe('plimsoll test', () => {
  let tree: FileTree | undefined;
  afterEach(() => tree?.remove());

  const run = (files: Readonly<Record<string, string>>, ...args: string[]): ReturnType<typeof runCli> => {
    tree = makeTree({ 'web.yaml': policy, 'defaults.yaml': defaults, ...files });
    return runCli(tree.folder, ['test', ...args]);
  };

  it('passes with status 0, defaults applied', () => {
    const { status, stdout, stderr } = run({ 'web.test.yaml': test(6) });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('✓ stops at the maximum of the defaults');
  });

  it('fails with status 1, naming line, want, got and the waterfall', () => {
    const { status, stdout } = run({ 'web.test.yaml': test(9) });
    expect(status).toBe(1);
    expect(stdout).toContain('web.test.yaml:13:9 desiredReplicas\n      want 9, got 6\n');
    expect(stdout).toContain('5 → 6 replicas');
  });

  it('fails where the policy does not exist, and says which may be meant', () => {
    const { status, stdout } = run({ 'web.test.yaml': test(6, 'wbe') });
    expect(status).toBe(1);
    expect(stdout).toContain('the tree has no policy shop/wbe; did you mean shop/web?');
  });

  it('fails where a test cannot be read', () => {
    const { status, stdout } = run({ 'web.test.yaml': test(6).replace('expect:', 'expects:') });
    expect(status).toBe(1);
    expect(stdout).toMatch(/web\.test\.yaml:12:7 spec\.cases\[0\]\.expects/);
  });

  it.each([
    {
      name: 'an empty expect',
      from: /expect:\n.*\n/,
      to: 'expect: {}\n',
      want: 'web.test.yaml:12:7\n      expect must name a field of the decision',
    },
    {
      name: 'a misspelt field of the observation',
      from: 'metrics: [',
      to: 'podz: []\n        metrics: [',
      want: '"podz" is no field here (did you mean pods?)',
    },
    {
      name: 'a misspelt field within it',
      from: '[{values:',
      to: '[{value: 1, valuez:',
      want: '11:30 spec.cases[0].observation.metrics[0].valuez',
    },
    {
      name: 'a misspelt field of the memory',
      from: 'expect:',
      to: 'memory: {lastScaleTimes: x}\n      expect:',
      want: '"lastScaleTimes" is no field here (did you mean lastScaleTime?)',
    },
  ])('fails with $name', ({ from, to, want }) => {
    const { status, stdout } = run({ 'web.test.yaml': test(6).replace(from, to) });
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining(want) });
  });

  it('fails where a file of tests is no YAML', () => {
    const { status, stdout } = run({ 'web.test.yaml': `${test(6)}\n  - }: [` });
    expect({ status, isTold: /Syntax/.test(stdout) }).toEqual({ status: 1, isTold: true });
  });

  it('fails where an observation is none, at its line', () => {
    const broken = test(6).replace('specReplicas: 5', 'specReplicas: many');
    const { status, stdout } = run({ 'web.test.yaml': broken });
    expect(status).toBe(1);
    expect(stdout).toContain('web.test.yaml:10:17');
  });

  it('prints JSON, and runs the tests of a path only', () => {
    const files = { 'a/web.test.yaml': test(6), 'b/web.test.yaml': test(9) };
    const { status, stdout } = run(files, 'a', '--root', '.', '--format', 'json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { tests: 1, passed: 1, failed: 0, notRun: 0 } });
  });

  it('ends with status 2 where the path does not exist', () => {
    const { status, stderr } = run({}, 'nowhere');
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'plimsoll: nowhere does not exist\n' });
  });
});
