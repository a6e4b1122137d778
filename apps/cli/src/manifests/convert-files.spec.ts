import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ParserPool } from '#adapter-parser';
import { misbehavingParser } from '#adapter-parser/testing';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';
import { convertWithin } from './convert-files.ts';

const hpa = `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop} # the web
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 9
  targetCPUUtilizationPercentage: 70
`;
const service = 'kind:   Service # stays\n---\n';

describe('plimsoll convert', () => {
  let tree: FileTree | undefined;
  afterEach(() => tree?.remove());

  it('prints the file with its autoscalers rewritten, and says what is lost', () => {
    tree = makeTree({ 'web.yaml': service + hpa });
    const { status, stdout, stderr } = runCli(tree.folder, ['convert', 'web.yaml']);
    expect(status).toBe(0);
    expect(stdout).toContain('kind:   Service # stays\n---\napiVersion: plimsoll.dev/v1alpha1\n');
    expect(stdout).toContain('metadata: {name: web, namespace: shop} # the web');
    expect(stderr).toMatch(/^web\.yaml:6:1: warning NotCarried: the native kind cannot say "no behavior"/);
  });

  it('reads standard input, and writes autoscaling/v2 without a loss', () => {
    tree = makeTree({});
    const { status, stdout, stderr } = runCli(tree.folder, ['convert', '--to', 'autoscaling/v2'], hpa);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('averageUtilization: 70');
  });

  it('writes valid files, and leaves invalid ones as they are', () => {
    tree = makeTree({ 'good.yaml': hpa, 'bad.yaml': hpa.replace('9', '0') });
    const { status, stderr } = runCli(tree.folder, ['convert', '--write', 'good.yaml', 'bad.yaml']);
    expect(status).toBe(1);
    expect(stderr).toContain('bad.yaml:6:3: error OutOfRange');
    expect(readFileSync(join(tree.folder, 'good.yaml'), 'utf8')).toContain('kind: AutoscalingPolicy');
    expect(readFileSync(join(tree.folder, 'bad.yaml'), 'utf8')).toBe(hpa.replace('9', '0'));
  });

  it.each([
    { kind: 'ScaledObject', hint: 'write an AutoscalingPolicy in its place, as docs/keda.md says' },
    { kind: 'ScaledJob', hint: 'leave it to KEDA' },
  ])('names a $kind, which is no policy, and says what to do', ({ kind, hint }) => {
    const keda = `---\napiVersion: keda.sh/v1alpha1\nkind: ${kind}\nmetadata: {name: worker}\n`;
    tree = makeTree({ 'all.yaml': hpa + keda, 'keda.yaml': keda });
    const { status, stdout, stderr } = runCli(tree.folder, ['convert', 'all.yaml', 'keda.yaml']);
    expect(status).toBe(0);
    expect(stdout).toContain(`kind: AutoscalingPolicy\n`);
    for (const place of ['all.yaml:10:1', 'keda.yaml:3:1']) {
      expect(stderr).toContain(
        `${place}: note OtherAutoscaler: ${kind} worker is an autoscaler of KEDA, and no policy: it is not read\n` +
          `  at kind\n  hint: ${hint}`,
      );
    }
  });

  it.each([
    { text: '', status: 1 },
    { text: '\n\n', status: 1 },
    { text: '# only a comment\n', status: 0 },
    { text: 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n', status: 0 },
  ])('says that there is nothing to convert: $text', ({ text, status }) => {
    tree = makeTree({ 'a.yaml': text });
    expect(runCli(tree.folder, ['convert', 'a.yaml'])).toMatchObject({
      status,
      stdout: text,
      stderr: 'plimsoll: nothing to convert in a.yaml\n',
    });
  });

  it('refuses an invalid AutoscalingPolicy, and prints the other files', () => {
    const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: "4"
  maxReplicas: 9
`;
    tree = makeTree({ 'bad.yaml': policy, 'good.yaml': policy.replace('"4"', '4') });
    const { status, stdout, stderr } = runCli(tree.folder, ['convert', 'bad.yaml', 'good.yaml']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: policy.replace('"4"', '4') });
    expect(stderr).toBe(
      'bad.yaml:6:3: error InvalidType: minReplicas must be a whole number, is a string: "4"\n' +
        '  at spec.minReplicas\n' +
        '  hint: write 4, without quotes\n',
    );
  });

  it('ends with status 2 where a file is missing, and has written nothing', () => {
    tree = makeTree({ 'web.yaml': hpa });
    const { status, stderr } = runCli(tree.folder, ['convert', '--write', 'web.yaml', 'none.yaml']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^plimsoll: none\.yaml cannot be read/);
    expect(readFileSync(join(tree.folder, 'web.yaml'), 'utf8')).toBe(hpa);
  });

  it('gives up a file that its parser cannot end', async () => {
    const settings = { module: misbehavingParser, timeoutMilliseconds: 2_000, smallBytes: -1 };
    const parser = new ParserPool(settings);
    const source = { bytes: new TextEncoder().encode('a: 1\n'), to: 'AutoscalingPolicy' as const };
    const converted = ['hang.yaml', 'b.yaml'].map((file) => convertWithin(parser, { ...source, file }));
    expect(await Promise.all(converted)).toMatchObject([
      { converted: 0, diagnostics: [{ severity: 'error', code: 'ParsingFailed', file: 'hang.yaml' }] },
      { text: 'a: 1\n', diagnostics: [] },
    ]);
    await parser.close();
  }, 60_000);
});
