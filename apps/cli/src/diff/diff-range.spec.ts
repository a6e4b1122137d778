import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';

const policy = (name: string, spec = ''): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: 9
${spec}`;
const defaults = (step: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: {name: all}
spec: {values: {interval: ${step}s}}
`;

/** Everything that a start needs, and the namespaces. */
const configuration = JSON.stringify({
  mode: 'Observe',
  cluster: { name: 'prod' },
  namespaces: ['shop'],
  sources: [{ name: 'a', url: 'file:///a' }],
});

describe('plimsoll diff', () => {
  let tree: FileTree;
  const diff = (...args: string[]): ReturnType<typeof runCli> => runCli(tree.folder, ['diff', ...args]);

  beforeAll(() => {
    tree = makeTree({
      'bounds.yaml': policy('bounds', '  minReplicas: 4\n'),
      'gone.yaml': policy('gone'),
      'old/moved.yaml': policy('moved'),
      'same.yaml': policy('same'),
      'by-defaults/web.yaml': policy('web'),
      'by-defaults/defaults.yaml': defaults(15),
    });
    tree.git('init', '-q', '-b', 'main');
    tree.git('add', '.');
    tree.git('commit', '-qm', 'base');
    tree.git('rm', '-q', 'gone.yaml');
    tree.git('mv', 'old/moved.yaml', 'moved.yaml');
    tree.write({
      'bounds.yaml': policy('bounds', '  minReplicas: 6\n'),
      'same.yaml': `# the same\n${policy('same', '  minReplicas: 1\n')}`,
      'new.yaml': policy('new'),
      'by-defaults/defaults.yaml': defaults(30),
    });
    tree.git('add', '.');
    tree.git('commit', '-qm', 'head');
  });
  afterAll(() => tree.remove());

  it('says how the HPA of a new policy will act otherwise than its decisions', () => {
    const freeze = 'freeze: [{name: release, cron: "0 9 * * 1", timeZone: UTC, duration: 1h, direction: Up}]';
    const frozen = policy('frozen', `  actuation: HorizontalPodAutoscaler\n  ${freeze}\n`);
    tree.write({ 'frozen.yaml': frozen });
    const { stdout } = diff('HEAD', '--format', 'json');
    tree.git('clean', '-fq');
    const { policies } = JSON.parse(stdout) as { readonly policies: readonly object[] };
    expect(policies).toEqual([
      expect.objectContaining({
        policy: 'shop/frozen',
        departures: [
          'freeze "release": the native controller still corrects a count outside minimum and maximum',
        ],
      }),
    ]);
  });

  it('shows what each policy comes to, and nothing that stays the same', () => {
    const { status, stdout, stderr } = diff('HEAD~1..HEAD');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual([
      '~ shop/bounds  bounds.yaml:1',
      '    minReplicas  4 → 6',
      '- shop/gone  removed: Deployment/gone, 1 to 9 replicas  gone.yaml:1',
      '    its file is gone',
      '> shop/moved  moved from old/moved.yaml  moved.yaml:1',
      '+ shop/new  added: Deployment/new, 1 to 9 replicas  new.yaml:1',
      '~ shop/web  by defaults  by-defaults/web.yaml:1',
      '    interval  15s → 30s',
      '2 changed, 1 removed, 1 moved, 1 added, 1 unchanged',
    ]);
  });

  it('prints JSON, and ends with status 1 for changes where that is asked for', () => {
    const { status, stdout } = diff('HEAD~1..HEAD', '--format', 'json', '--exit-code');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { added: 1, removed: 1, changed: 2, moved: 1, unchanged: 1 },
    });
  });

  it('puts down to defaults nothing that a document itself has changed, its annotations included', () => {
    const adopted = policy('same').replace(
      'namespace: shop}',
      'namespace: shop, annotations: {plimsoll.dev/adopt: Always}}',
    );
    tree.write({ 'same.yaml': adopted });
    const { stdout } = diff('HEAD');
    tree.git('checkout', '-q', 'same.yaml');
    expect(stdout).toContain('~ shop/same  same.yaml:1');
  });

  it('compares with the work tree, and says what is invalid there', () => {
    tree.write({ 'bounds.yaml': policy('bounds', '  minReplicas: 60\n') });
    const { status, stdout } = diff('HEAD');
    tree.git('checkout', '-q', 'bounds.yaml');
    expect(status).toBe(1);
    expect(stdout).toContain('! shop/bounds  not compared: invalid at the head  bounds.yaml:1');
    expect(stdout).toContain(
      'bounds.yaml:6:3: error OutOfRange: maxReplicas must be at least minReplicas (60), is 9',
    );
  });

  it.each([
    { name: 'its file is empty', text: '', want: 'its file has no policy any more' },
    {
      name: 'another document is in its place',
      text: policy('other'),
      want: 'its file has no such document any more',
    },
    {
      name: 'its namespace is not managed',
      text: policy('same').replace('shop', 'shpo'),
      want: 'AutoscalingPolicy shpo/same in same.yaml:1 is not taken (NamespaceNotManaged)',
    },
    { name: 'it is ignored', ignored: 'same.yaml\n', want: 'its file is not read (Ignored)' },
    {
      name: 'it is not listed',
      kustomized: true,
      want: 'AutoscalingPolicy shop/same in same.yaml:1 is not taken (NotListed)',
    },
  ])('says why a policy is removed: $name', ({ text = policy('same'), ignored = '', kustomized, want }) => {
    tree.write({ 'same.yaml': text, '.plimsollignore': ignored, 'plimsoll.json': configuration });
    if (kustomized === true)
      tree.write({ 'kustomization.yaml': 'resources: [bounds.yaml, moved.yaml, new.yaml]\n' });
    const { stdout, stderr } = diff('HEAD', '--config', 'plimsoll.json');
    const { stdout: json } = diff('HEAD', '--config', 'plimsoll.json', '--format', 'json');
    tree.git('checkout', '-q', '.');
    tree.git('clean', '-fq');
    expect(stderr).toBe('');
    expect(stdout).toContain(
      `- shop/same  removed: Deployment/same, 1 to 9 replicas  same.yaml:2\n    ${want}\n`,
    );
    const { policies } = JSON.parse(json) as { readonly policies: readonly object[] };
    expect(policies).toContainEqual(expect.objectContaining({ policy: 'shop/same', because: want }));
  });

  it.each([
    {
      name: 'is deleted',
      note: 'adopt: Always',
      hpa: 'Deleted',
      says: 'its file is gone; its HPA is deleted',
    },
    { name: 'is kept', note: 'prune: disabled', hpa: 'Kept', says: 'its file is gone; its HPA is kept' },
  ])('says that the HPA of a policy that is removed $name', ({ note, hpa, says }) => {
    const rendered = policy('hpa', '  actuation: HorizontalPodAutoscaler\n').replace(
      'namespace: shop}',
      `namespace: shop, annotations: {plimsoll.dev/${note}}}`,
    );
    tree.write({ 'hpa.yaml': rendered });
    tree.git('add', '.');
    tree.git('commit', '-qm', 'rendered');
    const { stdout } = diff('HEAD..HEAD~1');
    const { stdout: json } = diff('HEAD..HEAD~1', '--format', 'json');
    tree.write({
      'hpa.yaml': rendered.replace('namespace: shop', 'namespace: shpo'),
      'plimsoll.json': configuration,
    });
    const { stdout: stray } = diff('HEAD', '--config', 'plimsoll.json');
    tree.git('reset', '-q', '--hard', 'HEAD~1');
    tree.git('clean', '-fq');
    expect(stdout).toContain(says);
    expect(stray).toMatch(/- shop\/hpa {2}removed.*\n.*\(NamespaceNotManaged\)\n/);
    expect(JSON.parse(json)).toMatchObject({ policies: [{ policy: 'shop/hpa', hpa }] });
  });

  it('takes no policy for removed whose document cannot be read any more', () => {
    tree.write({ 'bounds.yaml': policy('bounds', '  metrics: [{type: {a: \n') });
    const { stdout } = diff('HEAD');
    tree.git('checkout', '-q', 'bounds.yaml');
    expect(stdout.trimEnd().split('\n').slice(0, 2)).toEqual([
      '! shop/bounds  not compared: invalid at the head  bounds.yaml:1',
      expect.stringMatching(/^bounds\.yaml:7:24: error Syntax: /),
    ]);
    expect(stdout).not.toContain('removed');
  });

  it('ends with status 2 where there is no such revision', () => {
    const { status, stderr } = diff('nowhere..HEAD');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^plimsoll: nowhere is no revision of the repository at /);
  });
});
