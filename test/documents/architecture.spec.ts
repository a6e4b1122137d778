import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** What stands between backticks and looks like a path of the tree. */
const paths = [...text.matchAll(/`((?:apps|libs|docs|test|scripts|migrations)\/[\w./-]+)`/g)].map(
  (match) => match[1] ?? '',
);

function foldersOf(place: string): readonly string[] {
  return readdirSync(join(root, place))
    .filter((name) => statSync(join(root, place, name)).isDirectory())
    .map((name) => `${place}/${name}`);
}

describe('ARCHITECTURE.md', () => {
  it.each([...new Set(paths)])('names %s, which exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });

  it('has a row for every app and lib', () => {
    const rows = new Set([...text.matchAll(/^\| `([\w./-]+)` \|/gm)].map((match) => match[1]));
    expect([...foldersOf('apps'), ...foldersOf('libs')].filter((folder) => !rows.has(folder))).toEqual([]);
  });
});
