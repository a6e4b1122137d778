import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ParserPool, type ParserPoolSettings } from '#adapter-parser';
import { misbehavingParser } from '#adapter-parser/testing';
import { UnusableError } from '../unusable-error.ts';
import { formatGithub } from './formats/github.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { formatSarif } from './formats/sarif.ts';
import { Progress } from './progress.ts';
import { type ValidateOptions, validatePaths } from './validate-paths.ts';
import type { ValidationReport } from './validation-report.ts';

const policy = (name: string, max = 9): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${max}
`;

describe('plimsoll validate', () => {
  let folder: string;
  const pools: ParserPool[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-validate-'));
  });

  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function git(...operands: readonly string[]): void {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...identity, ...operands], { cwd: folder, stdio: 'ignore' });
  }

  function validate(
    paths: readonly string[],
    options: ValidateOptions = {},
    settings: Partial<ParserPoolSettings> = {},
  ): Promise<ValidationReport> {
    const parser = new ParserPool(settings);
    pools.push(parser);
    return validatePaths(
      paths.map((path) => join(folder, path)),
      options,
      { progress: new Progress(), environment: {}, parser },
    );
  }

  const found = ({ diagnostics }: ValidationReport): readonly string[] =>
    diagnostics.map(
      ({ severity, code, file, line }) =>
        `${severity} ${code} ${file.split('/').slice(-2).join('/')}:${line}`,
    );

  it('reports every error at its line, and what a file holds beside it', async () => {
    write('shop/a.yaml', policy('a', 0));
    write('shop/b.yaml', policy('b'));
    const report = await validate(['']);
    expect(found(report)).toEqual(['error OutOfRange shop/a.yaml:6']);
    expect(report.policies).toBe(2);
  });

  describe('against a base revision', () => {
    const rendered = (name: string, notes = ''): string =>
      `${policy(name).replace('namespace: shop', `namespace: shop${notes}`)}  actuation: HorizontalPodAutoscaler\n`;

    beforeEach(() => {
      git('init', '--quiet');
      write('shop/gateway.yaml', rendered('gateway'));
      write('shop/kept.yaml', rendered('kept', ', annotations: {plimsoll.dev/prune: disabled}'));
      write('shop/plain.yaml', policy('plain'));
      write('other/same.yaml', policy('same'));
      git('add', '.');
      git('commit', '--quiet', '--message', 'base');
    });

    it('names what would leave, what becomes of its HPA, and what is new', async () => {
      write('shop/gateway.yaml', '');
      write('shop/kept.yaml', '- a\n');
      write('shop/plain.yaml', policy('renamed'));
      const report = await validate([''], { base: 'HEAD' });
      expect(found(report)).toEqual([]);
      const summary = {
        new: ['shop/renamed'],
        leaving: [
          { policy: 'shop/gateway', hpa: 'Deleted' },
          { policy: 'shop/kept', hpa: 'Kept' },
          { policy: 'shop/plain', hpa: 'None' },
        ],
      };
      expect(JSON.parse(formatJson(report))).toMatchObject({ summary });
      const leaving = 'leaving: shop/gateway (its HPA is deleted), shop/kept (its HPA is kept), shop/plain';
      expect(formatHuman(report, { isColoured: false }).split('\n').slice(-4, -2)).toEqual([
        'new: shop/renamed',
        leaving,
      ]);
      expect(formatGithub(report)).toContain(`::notice title=plimsoll::${leaving}\n`);
    });

    it('keeps the HPA of a policy that releases itself', async () => {
      write('shop/gateway.yaml', rendered('gateway', ", annotations: {plimsoll.dev/release: 'true'}"));
      const { comings } = await validate([''], { base: 'HEAD' });
      expect(comings).toEqual({ new: [], leaving: [{ policy: 'shop/gateway', hpa: 'Kept' }] });
    });

    it('lets nothing leave or come of what is rejected, and names only what is selected', async () => {
      write('shop/gateway.yaml', '');
      write('other/more.yaml', policy('more'));
      expect((await validate(['other'], { base: 'HEAD' })).comings).toEqual({
        new: ['shop/more'],
        leaving: [],
      });
      write('shop/plain.yaml', policy('plain', 0));
      expect((await validate([''], { base: 'HEAD' })).comings).toEqual({ new: [], leaving: [] });
      expect(await validate([''])).not.toHaveProperty('comings');
    });

    it('names ten in a line', async () => {
      for (let index = 10; index < 22; index += 1) write(`new/${index}.yaml`, policy(`p${index}`));
      const report = await validate([''], { base: 'HEAD' });
      const names = Array.from({ length: 10 }, (_, index) => `shop/p${index + 10}`).join(', ');
      expect(formatHuman(report, { isColoured: false })).toContain(
        `new: ${names} and 2 more (--format json has them all)\n`,
      );
      expect(report.comings?.new).toHaveLength(12);
    });
  });

  it('reads the whole work tree, and reports what the path selects', async () => {
    git('init', '--quiet');
    write('shop/a.yaml', policy('same'));
    write('other/b.yaml', policy('same'));
    const [first = '', ...others] = found(await validate(['shop']));
    expect(first).toBe('error DuplicateName shop/a.yaml:3');
    expect(others.filter((each) => !each.includes('shop/a.yaml'))).toEqual([]);
    expect(found(await validate(['other']))).toContain('error DuplicateName other/b.yaml:3');
  });

  it('does not take policies for two on one target while their namespace is not known', async () => {
    for (const path of ['shop/a.yaml', 'pay/a.yaml'])
      write(path, policy('a').replace(', namespace: shop', ''));
    expect(found(await validate(['']))).toEqual([
      'error Required pay/a.yaml:3',
      'error Required shop/a.yaml:3',
    ]);
  });

  it('takes the policies of --base as those in force', async () => {
    git('init', '--quiet');
    write('a.yaml', policy('a'));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
    write('a.yaml', policy('a').replace('kind:', '\tkind:'));
    expect((await validate([''], { base: 'HEAD' })).diagnostics.map(({ severity }) => severity)).toContain(
      'error',
    );
    expect((await validate([''])).notes.join()).toContain('no --base');
    expect((await validate([''], { base: 'HEAD' })).notes.join()).not.toContain('no --base');
  });

  it('lists what is read, and each file left out with its reason', async () => {
    write('a.yaml', policy('a'));
    write('b.yaml', 'kind: Deployment\n');
    write('kustomization.yaml', 'resources: [a.yaml]\n');
    write('chart/Chart.yaml', 'name: x\n');
    write('chart/templates/c.yaml', policy('c'));
    write('.github/d.yaml', policy('d'));
    write('skip/e.yaml', policy('e'));
    symlinkSync(join(folder, 'a.yaml'), join(folder, 'link.yaml'));
    symlinkSync(join(folder, 'chart'), join(folder, 'linked-folder'));
    const { files } = await validate([''], { files: true, exclude: ['skip/**'] });
    const reasonOf = (name: string): string | undefined => {
      const file = files.find((each) => each.file.endsWith(`/${name}`));
      return file?.isRead === true ? 'read' : file?.reason;
    };
    expect(reasonOf('kustomization.yaml')).toBe('no policy, but read as a kustomization');
    expect(reasonOf('linked-folder')).toBe('a symbolic link');
    const names = ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml', 'e.yaml', 'link.yaml'];
    expect(names.map(reasonOf)).toEqual([
      'read',
      'names none of our kinds or groups',
      'a template of a chart',
      'in a dot folder',
      'within --exclude',
      'a symbolic link',
    ]);
  });

  it('fails a file that its parser cannot end, as the controller does, and reads the others', async () => {
    write('shop/a.yaml', policy('a'));
    write('shop/hang.yaml', policy('hang'));
    write('die/kustomization.yaml', 'resources: [b.yaml]\n');
    write('die/b.yaml', policy('b'));
    write('other/throw.yaml', '# see autoscaling/v2\nkind: Deployment\n');
    const settings = { module: misbehavingParser, timeoutMilliseconds: 2_000, smallBytes: -1 };
    const report = await validate([''], {}, settings);
    expect(found(report)).toEqual(
      expect.arrayContaining([
        'error ParsingFailed shop/hang.yaml:1',
        'warning ParsingFailed other/throw.yaml:1',
      ]),
    );
    expect(report.policies).toBe(1);
  });

  it('names size, limit and setting of a file that is too large', async () => {
    write('a.yaml', `${policy('a')}${'# \n'.repeat(2_000_000)}`);
    const { diagnostics } = await validate(['']);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'TooLarge',
        message: expect.stringMatching(/^the file has 600\d{4} bytes, more than 5242880, and was not read$/),
        hint: 'split it, or raise limits.fileBytes of the source',
      }),
    ]);
  });

  it('warns of names that differ in letter case only', async () => {
    write('a.yaml', policy('a'));
    write('A.yaml', policy('b'));
    expect(found(await validate(['']))).toEqual([expect.stringContaining('warning CaseCollision')]);
  });

  it('cannot run without its path, its revision or its configuration', async () => {
    await expect(validate(['nowhere'])).rejects.toThrow(UnusableError);
    await expect(validate([''], { source: 'a' })).rejects.toThrow('--source needs --config');
    await expect(validate([''], { config: join(folder, 'none.yaml') })).rejects.toThrow('cannot be read');
    git('init', '--quiet');
    await expect(validate([''], { base: 'nothing' })).rejects.toThrow('is no revision');
    await expect(validate([''], { root: join(folder, 'none') })).rejects.toThrow('does not exist');
    write('beside/a.yaml', policy('a'));
    await expect(validate([''], { root: join(folder, 'beside') })).rejects.toThrow('is not below --root');
  });

  it.each([
    { given: { exclude: ['a/(b|c)'] }, want: '--exclude: exclude.0: has "(" at character 3' },
    { given: { include: ['{a'] }, want: '--include: include.0: has a { at character 1 that nothing closes' },
    {
      given: { tenants: '[{name: a, path: teams/a}, {name: rest, path: "teams/*"}]' },
      want: '--tenants:1:47: tenants.1.path: overlaps with teams/a of tenant a: a folder could belong to both',
    },
    {
      given: { tenants: '[{name: a, path: teams/a}, {name: a, path: teams/b}]' },
      want: '--tenants:1:35: tenants.1.name: is the name of another tenant too',
    },
    { given: { tenants: '[{name: a, path: "["}]' }, want: '--tenants:1:18: tenants.0.path: has "[" in "["' },
  ])('refuses the pattern of $given', async ({ given, want }) => {
    write('a.yaml', policy('a'));
    await expect(validate([''], given)).rejects.toThrow(want);
  });

  it('shows a person ten warnings of a kind, all errors, and how many there are of each', async () => {
    const old = policy('x').replace(/^apiVersion.*\nkind.*\n/, '');
    for (let index = 10; index < 22; index += 1) {
      const text = old.replaceAll('name: x', `name: x${index}`).replace(/9\n$/, '0\n');
      write(`x${index}.yaml`, `apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\n${text}`);
    }
    const human = formatHuman(await validate(['']), { isColoured: false });
    expect(human.match(/error OutOfRange/g)).toHaveLength(12);
    expect(human.match(/warning DeprecatedVersion/g)).toHaveLength(10);
    expect(human).toContain('… and 2 more DeprecatedVersion (--format json has them all)\n');
    expect(human).toContain('\nerrors: 12 OutOfRange\nwarnings: 12 DeprecatedVersion\ninvalid: ');
  });

  it('cannot run with a path that is not in the tree', async () => {
    write('policies/a.yaml', policy('a'));
    await expect(validate([''], { path: 'polices' })).rejects.toThrow(/^path polices is not in the tree at /);
    expect((await validate([''], { path: './policies/' })).policies).toBe(1);
  });

  it.each([
    {
      name: 'everything excluded',
      options: { exclude: ['*'] },
      want: /^none of 1 YAML file is read: .*Excluded 1/,
    },
    { name: 'nothing included', options: { include: ['x'] }, want: /NotIncluded 1/ },
  ])('says that it looked at no file, and why: $name', async ({ options, want }) => {
    write('a.yaml', policy('a'));
    const report = await validate([''], options);
    expect(report).toMatchObject({ lookedAt: 0, nothing: expect.stringMatching(want) });
    expect(formatHuman(report, { isColoured: false })).toContain(
      '\nnothing looked at: 0 policies in 0 files',
    );
    expect(JSON.parse(formatJson(report))).toMatchObject({ summary: { lookedAt: 0 } });
  });

  it('refuses a file that is named and is no text', async () => {
    write('a.yaml', policy('a'));
    writeFileSync(join(folder, 'image.yaml'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]));
    await expect(validate(['image.yaml'])).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringMatching(/image\.yaml is no text in UTF-8, as a YAML file is$/),
    });
    expect((await validate([''])).policies).toBe(1);
  });

  it('has looked at files that name none of our kinds', async () => {
    write('a.yaml', 'kind: Deployment\n');
    const report = await validate(['']);
    expect(report).toMatchObject({ lookedAt: 1 });
    expect(report.nothing).toBeUndefined();
  });

  it('does not take placeholders for one name', async () => {
    for (const path of ['a.yaml', 'b.yaml']) write(path, policy('"${APP}"'));
    expect(new Set((await validate([''])).diagnostics.map(({ code }) => code))).toEqual(
      new Set(['Placeholder']),
    );
  });

  it('says how many documents are not taken, and why', async () => {
    write('base/kustomization.yaml', 'resources: [a.yaml]\n');
    write('base/a.yaml', policy('a'));
    write('base/b.yaml', policy('b'));
    write('prod/kustomization.yaml', 'resources: [../base]\npatches: [{path: a.yaml}]\n');
    write('prod/a.yaml', policy('a'));
    const report = await validate(['']);
    expect(formatHuman(report, { isColoured: false })).toContain(
      '\nnot taken: 1 NeedsRendering, 1 NotListed, 1 Patch\nvalid: 0 policies',
    );
    expect(JSON.parse(formatJson(report))).toMatchObject({ summary: { notTaken: { Patch: 1 } } });
  });

  it('prints for people, programs, code scanning and pull requests', async () => {
    write('a.yaml', policy('a').replace('maxReplicas', 'maxReplcas'));
    const report = await validate(['']);
    const human = formatHuman(report, { isColoured: false });
    expect(human).toMatch(
      /a\.yaml:6:3: error UnknownField: "maxReplcas" is not a field of spec\n {2}at spec\.maxReplcas/,
    );
    expect(human).toContain('  6 |   maxReplcas: 9\n    |   ^\n  hint: did you mean maxReplicas?');
    expect(JSON.parse(formatJson(report))).toMatchObject({
      version: 1,
      summary: { policies: 1, errors: 2, warnings: 0 },
    });
    const sarif = JSON.parse(formatSarif(report, '1.0.0')) as { runs: { results: unknown[] }[] };
    expect(sarif).toMatchObject({ version: '2.1.0' });
    expect(sarif.runs[0]?.results).toHaveLength(2);
    expect(sarif.runs[0]?.results[0]).toMatchObject({
      level: 'error',
      locations: [
        { physicalLocation: { region: { startLine: expect.any(Number), startColumn: expect.any(Number) } } },
      ],
    });
    expect(formatGithub(report)).toMatch(/^::error file=.*a\.yaml,line=\d,col=\d,title=\w+::/);
  });
});
