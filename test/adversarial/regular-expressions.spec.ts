import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/** In full, every pattern is proven; in short, a proof that takes long is left to the full run. */
const isFull = process.env['PLIMSOLL_ADVERSARIAL'] === '1';
const proofMilliseconds = isFull ? 120_000 : 250;

const textLength = 64 * 1024;
const root = join(import.meta.dirname, '..', '..');

interface Pattern {
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

const patterns = ['libs', 'apps'].flatMap((folder) => sourceFiles(folder).flatMap(patternsOf));

describe('the regular expressions of production code', () => {
  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(150);
  });

  it(
    'take linear time on any text',
    () => {
      const proofs = prove(patterns);
      expect(proofs).toHaveLength(patterns.length);
      const slow = patterns
        .map(({ name }, index) => ({ name, ...proofs[index] }))
        .filter(({ status }) => status === 'vulnerable' || (isFull && status === 'unknown'));
      expect(slow).toEqual([]);
    },
    isFull ? 3_600_000 : 120_000,
  );

  it(
    'read 64 KiB of their own pieces, repeated',
    () => {
      for (const { source, flags } of patterns) {
        const pattern = new RegExp(source, flags.replace('y', ''));
        for (const text of textsFor(source)) expect(typeof text.replace(pattern, '')).toBe('string');
      }
    },
    isFull ? 3_600_000 : 120_000,
  );
});

interface Proof {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly why?: string;
}

function prove(those: readonly Pattern[]): readonly Proof[] {
  const script = join(import.meta.dirname, 'support', 'prove-patterns.mjs');
  const input = JSON.stringify({ patterns: those, timeout: proofMilliseconds });
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Proof);
}

/** Each character and each literal word of a pattern, repeated, with an end that does not match. */
function textsFor(source: string): readonly string[] {
  const literal = source.replaceAll(/\\[dwsbDWSB]/g, ' ').replaceAll(/\\(.)/g, '$1');
  const pieces = new Set([
    ...literal.split(''),
    ...(literal.match(/[\w '"<>/.-]{2,}/g) ?? []),
    ' ',
    '\t',
    '\n',
    '0',
    'a',
  ]);
  return [...pieces].map((piece) => `${piece.repeat(Math.ceil(textLength / piece.length))}\u0000`);
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:spec|fake|d)\.ts$|[/\\]testing[/\\]/.test(file))
    .map((file) => join(folder, file));
}

function patternsOf(file: string): readonly Pattern[] {
  const tree = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      found.push({
        name: `${file}:${line}`,
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
