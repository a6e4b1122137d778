import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

let hasLinks = true;
/** Called when a file is written, before it has its name. */
let atWritten: (() => void) | null = null;
const flushed: string[] = [];

jest.unstable_mockModule('node:fs/promises', () => ({
  ...files,
  link: (from: string, to: string) =>
    hasLinks
      ? files.link(from, to)
      : Promise.reject(Object.assign(new Error('no links'), { code: 'ENOTSUP' })),
  writeFile: async (path: string, text: string, options: { flush?: boolean }) => {
    await files.writeFile(path, text, options);
    if (options.flush === true) flushed.push(path);
    atWritten?.();
  },
}));

const { removeUnfinished, replaceKeyFile, requireKeyText, writeNewKeyFile } = await import('./key-files.ts');

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-keys-'));
  file = join(folder, 'key.pem');
});

afterEach(() => {
  hasLinks = true;
  atWritten = null;
  flushed.length = 0;
  rmSync(folder, { recursive: true });
});

describe.each([
  { where: 'on a file system with hard links', links: true },
  { where: 'on a file system without hard links', links: false },
])('a new file of a key $where', ({ links }) => {
  beforeEach(() => {
    hasLinks = links;
  });

  it('is there for its owner only, and alone', async () => {
    await writeNewKeyFile(file, 'key');
    expect(readFileSync(file, 'utf8')).toBe('key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  it('takes the place of none', async () => {
    writeFileSync(file, 'other');
    await expect(writeNewKeyFile(file, 'key')).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(file, 'utf8')).toBe('other');
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });
});

it.each([
  { what: 'a new file', write: () => writeNewKeyFile(file, 'key') },
  { what: 'a replaced file', write: () => replaceKeyFile(file, 'key') },
])('$what of a key has its name only when all of it is on disk', async ({ write }) => {
  let found: readonly string[] = [];
  atWritten = () => {
    found = readdirSync(folder);
    throw new Error('the process was killed');
  };
  await expect(write()).rejects.toThrow('the process was killed');
  expect(found).toEqual([expect.stringMatching(/^key\.pem\.[0-9a-f-]{36}\.part$/)]);
  expect(flushed).toEqual(found.map((name) => join(folder, name)));
  expect(readdirSync(folder)).toEqual([]);
});

it('removes what a process that was killed has left of its files, and nothing that may be under way or is of others', async () => {
  const part = (before: string): string => `${before}.${'0'.repeat(36)}.part`;
  const left = [part('key.pem'), part('key.pem.previous'), part('key.pem.lost')];
  const kept = ['key.pem', 'key.pem.part', part('other.pem'), part('key.pem.x')];
  for (const name of [...left, ...kept]) {
    writeFileSync(join(folder, name), 'key');
    utimesSync(join(folder, name), 0, 0);
  }
  const young = `key.pem.${'1'.repeat(36)}.part`;
  writeFileSync(join(folder, young), 'key');
  await removeUnfinished(file);
  expect(readdirSync(folder).sort()).toEqual([...kept, young].sort());
  await removeUnfinished(join(folder, 'nowhere', 'key.pem'));
});

it('is replaced as a whole, with the mode that is given', async () => {
  writeFileSync(file, 'a longer text than what follows');
  await replaceKeyFile(file, 'key', 0o644);
  expect(readFileSync(file, 'utf8')).toBe('key');
  expect(statSync(file).mode & 0o777).toBe(0o644);
  mkdirSync(join(folder, 'taken'));
  await expect(replaceKeyFile(join(folder, 'taken'), 'key')).rejects.toThrow();
  expect(readdirSync(folder).sort()).toEqual(['key.pem', 'taken']);
});

it.each(['', ' \n'])('says that a file with nothing in it (%j) was cut short, and what to do', (text) => {
  expect(() => requireKeyText(text, 'remove it')).toThrow(
    'the file is empty, as a write that was cut short leaves it: remove it',
  );
  expect(requireKeyText('key', 'remove it')).toBe('key');
});
