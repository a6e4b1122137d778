import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeTree, runCli, type FileTree } from '../testing/run-cli.fixture.ts';

const hpa = (name: string, namespace: string, maxReplicas = 5): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${maxReplicas}
`;

interface SarifResult {
  readonly ruleId: string;
  readonly level: string;
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
  }[];
}

describe('plimsoll validate', () => {
  let tree: FileTree | undefined;
  afterEach(() => tree?.remove());

  const make = (files: Readonly<Record<string, string>>): FileTree => (tree = makeTree(files));
  const status = (folder: string, ...args: string[]): number | null =>
    runCli(folder, ['validate', ...args]).status;

  it('ends with 0 where nothing is an error, 1 for errors, 2 where it could not run', () => {
    const { folder } = make({ 'good/a.yaml': hpa('a', 'shop'), 'bad/b.yaml': hpa('b', 'shop', 0) });
    expect(status(folder, 'good')).toBe(0);
    expect(status(folder, '.')).toBe(1);
    expect(status(folder, 'nowhere')).toBe(2);
    expect(status(folder, '.', '--format', 'xml')).toBe(2);
    expect(status(folder, 'bad', '--root', 'good')).toBe(2);
    expect(status(folder, 'good', '--root', 'nowhere')).toBe(2);
  }, 60_000);

  it('writes SARIF whose URIs are relative to the folder that it was started in', () => {
    const { folder, git } = make({ 'a b/ü.yaml': hpa('a', 'shop', 0), 'sub/x.txt': '' });
    git('init', '--quiet');
    const { stdout } = runCli(join(folder, 'sub'), ['validate', '..', '--format', 'sarif']);
    const log = JSON.parse(stdout) as { version: string; runs: { results: SarifResult[] }[] };
    expect(log.version).toBe('2.1.0');
    const results = log.runs[0]?.results.map(({ ruleId, level, locations }) => ({
      ruleId,
      level,
      uri: locations[0]?.physicalLocation.artifactLocation.uri,
      region: locations[0]?.physicalLocation.region,
    }));
    expect(results).toEqual([
      {
        ruleId: 'OutOfRange',
        level: 'error',
        uri: '../a%20b/%C3%BC.yaml',
        region: { startLine: 6, startColumn: 3 },
      },
    ]);
  }, 60_000);

  it('lists what is read and what is left out, with the reason', () => {
    const { folder } = make({
      'a.yaml': hpa('a', 'shop'),
      'other.yaml': 'kind: Service\n',
      '.hidden/b.yaml': hpa('b', 'shop'),
    });
    mkdirSync(join(folder, 'folder'));
    symlinkSync('/etc', join(folder, 'folder', 'out'));
    symlinkSync('../a.yaml', join(folder, 'folder', 'link.yaml'));
    const { stdout } = runCli(folder, ['validate', '.', '--files']);
    expect(stdout.split('\n').filter((line) => /^(?:read|left out) /.test(line))).toEqual([
      'left out  .hidden/b.yaml: in a dot folder',
      'read      a.yaml',
      'left out  folder/link.yaml: a symbolic link',
      'left out  folder/out: a symbolic link',
      'left out  other.yaml: names none of our kinds or groups',
    ]);
  }, 60_000);

  it('judges against the policies of --base: nothing leaves by becoming unreadable', () => {
    const { folder, git, write } = make({ 'a.yaml': hpa('a', 'shop'), 'b.yaml': hpa('b', 'shop') });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    write({ 'b.yaml': '# gone: broken\nx: [\n' });
    expect(status(folder, '.')).toBe(0);
    const { status: withBase, stdout } = runCli(folder, ['validate', '.', '--base', 'HEAD']);
    expect(withBase).toBe(1);
    expect(stdout).toContain('b.yaml:');
    expect(status(folder, '.', '--base', 'nowhere')).toBe(2);
  }, 60_000);
});
