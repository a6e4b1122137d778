import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    tree = makeTree({
      'policies/a.yaml': policy,
      'policies/c.YML': policy,
      'hack/b.yaml': policy,
      'out/d.yaml': policy,
      'README.md': '# policies',
      '.gitignore': 'out/\nbare.git/\n',
    });
    tree.git('init', '--quiet');
    tree.git('init', '--quiet', '--bare', 'bare.git');
  });

  afterEach(() => tree.remove());

  it('shows no line of a file in UTF-16, of which every other character is a NUL', () => {
    writeFileSync(join(tree.folder, 'policies/e.yaml'), Buffer.from(`\uFEFF${policy}`, 'utf16le'));
    expect(runCli(tree.folder, ['validate', '--exclude', 'hack', 'policies/e.yaml'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(
        'policies/e.yaml:1:1: error NotUtf8: the file is UTF-16, not UTF-8\n  hint: save it as UTF-8\n',
      ),
    });
  });

  it('names autoscalers of KEDA, the first ten of them, which fail nothing', () => {
    const keda = 'apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: worker}\n';
    const definition = 'kind: CustomResourceDefinition\nspec: {names: {kind: ScaledObject}}\n';
    tree.write({ 'keda/all.yaml': [definition, ...Array<string>(12).fill(keda)].join('---\n') });
    const { status, stdout } = runCli(tree.folder, ['validate', 'keda']);
    const notes = stdout
      .split('\n')
      .filter((line) => line.includes(' note OtherAutoscaler: ScaledObject worker is'));
    expect({ status, count: notes.length, first: notes[0] }).toMatchObject({
      ...{ status: 0, count: 10 },
      first: expect.stringMatching(/^keda\/all\.yaml:5:1: note/),
    });
    expect(stdout).toContain('\n  hint: write an AutoscalingPolicy in its place, as docs/keda.md says');
    expect(stdout).toContain('… and 2 more OtherAutoscaler (--format json has them all)');
    expect(stdout).toContain('valid: 0 policies in 1 file, 0 errors, 0 warnings');
  });

  it.each([
    { args: ['--root', '.', '--exclude', 'hack', '.'], status: 0, stdout: 'valid: 1 policy in 1 file' },
    {
      args: ['--exclude', 'hack', '--exclude', 'policies', '.'],
      status: 1,
      stdout: 'nothing looked at',
      stderr: 'plimsoll: no file was looked at: none of 3 YAML files is read',
    },
    { args: ['--exclude', '*', '--allow-empty'], status: 0, stderr: 'plimsoll: no file was looked at' },
    {
      args: ['--exclude', 'hack', '--files', 'policies'],
      status: 0,
      stdout: 'left out  policies/c.YML: its name ends neither in .yaml nor in .yml\n',
    },
    {
      args: ['--exclude', 'hack', 'policies'],
      status: 0,
      stdout: 'note: policies/c.YML is left out: only names that end in .yaml',
    },
    { args: ['README.md'], status: 1, stderr: 'README.md has no YAML file', stdout: 'README.md is left out' },
    {
      args: ['--exclude', 'hack', 'policies/a.yaml', 'README.md'],
      status: 0,
      stdout: 'note: README.md is left out: only names',
    },
    {
      args: ['--exclude', 'hack', 'policies/a.yaml', './policies/c.YML'],
      status: 0,
      stdout: /^(?=.*note: policies\/c\.YML is left out)(?!.*c\.YML.*c\.YML)/s,
    },
    { args: ['policies/a.yaml', '/etc/passwd'], status: 2, stderr: 'plimsoll: /etc/passwd is outside the' },
    { args: ['policies/a.yaml', 'out/d.yaml'], status: 2, stderr: 'plimsoll: out/d.yaml is no file of the' },
    { args: ['--root', 'bare.git', 'bare.git'], status: 2, stderr: 'is a bare Git repository, which has no' },
    { args: ['--path', 'polices'], status: 2, stderr: 'plimsoll: path polices is not in the tree' },
  ])('$args ends with $status', ({ args, status, stdout = '', stderr = '' }) => {
    const run = runCli(tree.folder, ['validate', ...args]);
    expect(run).toMatchObject({
      status,
      stdout: typeof stdout === 'string' ? expect.stringContaining(stdout) : expect.stringMatching(stdout),
      stderr: expect.stringContaining(stderr),
    });
  });

  it('refuses a file that is in no repository and no YAML', () => {
    expect(runCli('/', ['validate', '/etc/passwd'])).toMatchObject({
      status: 2,
      stderr: 'plimsoll: /etc/passwd is in no repository, and no YAML file (.yaml or .yml)\n',
    });
  });

  it('shows by its code what would steer a terminal, or reorder a line, with the caret where it belongs', () => {
    tree.write({ 'policies/a.yaml': `${policy}  behavior: {"\u202ered": "\\e[2J", other: 1}\n` });
    const { status, stdout } = runCli(tree.folder, ['validate', 'policies/a.yaml']);
    expect(status).toBe(1);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    const line = String.raw`  behavior: {"\u202ered": "\e[2J", other: 1}`;
    expect(stdout).toContain(`  7 | ${line}\n    | ${' '.repeat(line.indexOf('other'))}^\n`);
  });

  it('names files from the top of the repository for annotations and code scanning, wherever it is started', () => {
    tree.write({ 'policies/a.yaml': policy.replace('3', '0') });
    const run = (format: string): string =>
      runCli(join(tree.folder, 'policies'), ['validate', '--format', format]).stdout;
    expect(run('github')).toContain('::error file=policies/a.yaml,line=6');
    expect(run('human')).toContain('\na.yaml:6:3: error'.trimStart());
    expect(JSON.parse(run('sarif'))).toMatchObject({
      runs: [
        {
          originalUriBaseIds: { '%SRCROOT%': {} },
          results: expect.arrayContaining([
            expect.objectContaining({
              locations: [
                expect.objectContaining({
                  physicalLocation: expect.objectContaining({
                    artifactLocation: { uri: 'policies/a.yaml', uriBaseId: '%SRCROOT%' },
                  }),
                }),
              ],
            }),
          ]),
        },
      ],
    });
  });
});
