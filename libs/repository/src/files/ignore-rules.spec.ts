import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Random } from '../../../../test/support/random.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { type IgnoreFile, IgnoreRules } from './ignore-rules.ts';

/** Some hundreds by default; PLIMSOLL_FUZZ_RUNS is the long run. */
const runs = Math.ceil(Number(process.env['PLIMSOLL_FUZZ_RUNS'] ?? '3000') / 10);

const parts =
  'a b ab * ** ? *a a* **/ /** / // [ab] [!a] [^b] [a-b] [[:lower:]] [![:alnum:]a] [[:space:].] [[:] [:a:] [[:b:]] [] [ ] \\ \\a \\* \\! \\# ! !! # . .. .yaml *.yaml a.yaml {a,b}'.split(
    ' ',
  );
const endings = ['', '', '', '/', ' ', '\\ ', '  ', '\t', '\r'];
const names = ['a', 'b', 'ab', 'a.yaml', 'b.yaml', '#', '!', 'a b', '.a'];
const paths = [...names, 'd'].flatMap((x) => [
  // What has an ignore file in it is a folder.
  ...(x === 'd' ? [] : [x]),
  ...names.slice(0, 5).flatMap((y) => [`${x}/${y}`, ...['a', 'b.yaml'].map((z) => `${x}/${y}/${z}`)]),
]);

interface Case {
  /** Ignore files by the folder that they are in. */
  readonly files: Readonly<Record<string, string>>;
}

function aPattern(random: Random): string {
  const count = 1 + random.below(4);
  const text = Array.from({ length: count }, () => random.pick(parts)).join(random.chance(0.4) ? '/' : '');
  const pattern = (random.chance(0.25) ? '!' : '') + text + random.pick(endings);
  // Here git departs from its own documentation: `a**` reaches into folders, and an escaped slash divides names.
  return /[^/!]\*\*|\\\//.test(pattern) ? random.pick(parts) : pattern;
}

function aFile(random: Random): string {
  return Array.from({ length: 1 + random.below(3) }, () => aPattern(random)).join('\n');
}

function aCase(number: number): Case {
  const random = new Random(number);
  return { files: { '': aFile(random), ...(random.chance(0.5) ? { d: aFile(random) } : {}) } };
}

function ignoreFiles(files: Case['files']): readonly IgnoreFile[] {
  return Object.entries(files).map(([place, text]) => ({
    path: place === '' ? '.plimsollignore' : `${place}/.plimsollignore`,
    text,
  }));
}

describe('ignore files', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-ignore-'));
    execFileSync('git', ['init', '--quiet', folder]);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** What git leaves out of each case, each in a folder of its own. */
  function ignoredByGit(cases: readonly Case[]): ReadonlySet<string> {
    for (const [index, { files }] of cases.entries()) {
      for (const [place, text] of Object.entries(files)) {
        const at = join(folder, String(index), place);
        mkdirSync(at, { recursive: true });
        writeFileSync(join(at, '.gitignore'), text);
      }
    }
    const asked = cases.flatMap((_, index) => paths.map((path) => `${index}/${path}`));
    const options = { cwd: folder, input: asked.join('\0'), maxBuffer: 1 << 28 };
    let answer: string;
    try {
      answer = execFileSync('git', ['check-ignore', '--no-index', '--stdin', '-z'], options).toString();
    } catch (error) {
      // 1: nothing is ignored.
      if ((error as { status?: number }).status !== 1) throw error;
      answer = '';
    }
    return new Set(answer.split('\0'));
  }

  it.each<{ readonly files: Readonly<Record<string, string>>; readonly want: readonly string[] }>([
    { files: { '': 'a/**' }, want: ['a/a', 'a/b', 'a/ab', 'a/a.yaml', 'a/b.yaml'] },
    { files: { '': '/b.yaml\n!b.yaml\n#\n\\!' }, want: ['!', '!/a'] },
    { files: { '': 'a b\\ \na b  \r\n' }, want: ['a b', 'a b/a'] },
    // A folder that a nearer file keeps is not lost to the rule around it, and a rule for all in it still counts.
    { files: { '': 'b/\n.a', d: '!b' }, want: ['b/a', '.a', '.a/a'] },
  ])('leave out, of $files, what is below', ({ files, want }) => {
    const rules = new IgnoreRules(ignoreFiles(files));
    for (const path of want) expect([path, rules.isIgnored(path)]).toEqual([path, true]);
    expect(rules.isIgnored('d/b/a')).toBe(false);
    expect(rules.isIgnored('ab')).toBe(false);
  });

  it.each(['[', '*a', '**/', '\\ ', ' ', '?*', '{a,'])('come to an end for %s, many times', (part) => {
    runToEnd(() => {
      const rules = new IgnoreRules([
        { path: '.plimsollignore', text: `${part.repeat(1_000)}\n${part.repeat(100_000)}x` },
      ]);
      rules.isIgnored('a'.repeat(4_000));
      rules.isIgnored('a/'.repeat(100));
    });
  });

  it('leave out what git leaves out', () => {
    const cases = Array.from({ length: runs }, (_, index) => aCase(index));
    const ignored = ignoredByGit(cases);
    for (const [index, { files }] of cases.entries()) {
      const rules = new IgnoreRules(ignoreFiles(files));
      const ours = paths.filter((path) => rules.isIgnored(path));
      const gits = paths.filter((path) => ignored.has(`${index}/${path}`));
      expect({ files, ignored: ours }).toEqual({ files, ignored: gits });
    }
  });
});
