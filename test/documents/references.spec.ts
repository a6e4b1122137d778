import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');

/** A path of `docs/`, and the quoted headings after it: `docs/spec/git-sync.md "Limits", "Holds"`. */
const citation = /\bdocs\/[\w/.-]+\.md(?:#[\w-]+|(?:,? "[^"\n]{1,80}")+)?/g;
/** A link of a Markdown file to another, or to a heading of its own. */
const link = /\]\((?![a-z]+:)([^\s)#]*)(?:#([^\s)]*))?\)/g;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(?:ts|js|mjs|cjs|ya?ml|md)$/.test(file) && existsSync(join(root, file)));

describe('references to documents', () => {
  it('are found in code, vectors and documents', () => {
    const citing = files.filter((file) => citationsOf(file).length > 0);
    expect(citing.filter((file) => file.endsWith('.ts')).length).toBeGreaterThan(20);
    expect(citing.filter((file) => file.endsWith('.yaml')).length).toBeGreaterThan(30);
  });

  it('lead to a file and a heading that exist', () => {
    expect(files.flatMap((file) => [...brokenCitations(file), ...brokenLinks(file)])).toEqual([]);
  });

  it('name no document outside the repository', () => {
    const outside = /\b(?:hpa|wpa|validation|DESIGN|HOUSE-STYLE)\.md\b/;
    const self = 'test/documents/references.spec.ts';
    expect(files.filter((file) => file !== self && outside.test(textOf(file)))).toEqual([]);
  });
});

function brokenCitations(file: string): readonly string[] {
  return citationsOf(file).filter((text) => {
    const path = /^[^ ,#]+/.exec(text)?.[0] ?? '';
    if (!existsSync(join(root, path))) return true;
    const headings = headingsOf(path);
    const anchor = /#(.+)$/.exec(text)?.[1];
    if (anchor !== undefined) return !headings.some((title) => slug(title) === anchor);
    return [...text.matchAll(/"([^"]+)"/g)].some(([, title = '']) => !headings.includes(title));
  });
}

function citationsOf(file: string): readonly string[] {
  return [...textOf(file).matchAll(citation)].map(([text]) => text);
}

function brokenLinks(file: string): readonly string[] {
  if (!file.endsWith('.md')) return [];
  return [...withoutCode(textOf(file)).matchAll(link)].flatMap(([text, path = '', anchor]) => {
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    const isThere = existsSync(join(root, target));
    const hasHeading =
      anchor === undefined || (isThere && headingsOf(target).some((title) => slug(title) === anchor));
    return isThere && hasHeading ? [] : [`${file}: ${text}`];
  });
}

function headingsOf(file: string): readonly string[] {
  return [...withoutCode(textOf(file)).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.replaceAll('`', '').trim(),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '');
}

/** As GitHub makes an anchor from a heading. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
