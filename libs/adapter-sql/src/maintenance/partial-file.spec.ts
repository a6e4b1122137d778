import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

let hasLinks = true;

jest.unstable_mockModule('node:fs/promises', () => ({
  ...files,
  link: (from: string, to: string) =>
    hasLinks ? files.link(from, to) : Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
}));

const { PartialFile } = await import('./partial-file.ts');

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-partial-'));
  file = join(folder, 'ledger.backup');
});

afterEach(() => {
  hasLinks = true;
  rmSync(folder, { recursive: true });
});

describe.each([
  { where: 'on a file system with hard links', links: true },
  { where: 'on a file system without hard links', links: false },
])('a file that is written in parts, $where', ({ links }) => {
  beforeEach(() => {
    hasLinks = links;
  });

  it('has its name once it is whole', async () => {
    const written = await PartialFile.open(file);
    await written.handle.writeFile('all of it');
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^ledger\.backup\.[0-9a-f-]{36}\.partial$/)]);
    await written.complete();
    await written.handle.close();
    expect(readdirSync(folder)).toEqual(['ledger.backup']);
    expect(readFileSync(file, 'utf8')).toBe('all of it');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('does not mix with another of its name, and does not take its place', async () => {
    const [one, other] = [await PartialFile.open(file), await PartialFile.open(file)];
    await one.handle.writeFile('one');
    await other.handle.writeFile('other');
    await one.complete();
    await one.handle.close();
    await expect(other.complete()).rejects.toMatchObject({ code: 'EEXIST' });
    await other.remove();
    expect(readdirSync(folder)).toEqual(['ledger.backup']);
    expect(readFileSync(file, 'utf8')).toBe('one');
    await expect(PartialFile.open(file)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

it('removes what killed writes of its name have left, and nothing that may be under way or is of others', async () => {
  const part = (name: string): string => `${name}.${'0'.repeat(36)}.partial`;
  const kept = [part('other.backup'), part('ledger.backup.old'), 'ledger.backup.partial'];
  for (const name of [part('ledger.backup'), ...kept]) {
    writeFileSync(join(folder, name), 'part');
    utimesSync(join(folder, name), 0, 0);
  }
  const young = `ledger.backup.${'1'.repeat(36)}.partial`;
  writeFileSync(join(folder, young), 'part');
  await (await PartialFile.open(file)).remove();
  expect(readdirSync(folder).sort()).toEqual([...kept, young].sort());
});
