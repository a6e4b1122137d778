import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readTextFile } from './read-text-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-text-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each(['', 'schlüssel\n', 'x'.repeat(200_000)])('reads a file, also behind a link', async (text) => {
  writeFileSync(join(folder, 'file'), text);
  symlinkSync('file', join(folder, 'link'));
  expect(await readTextFile(join(folder, 'link'))).toBe(text);
});

it('reads as many bytes as it may, and nothing of a file that has more', async () => {
  writeFileSync(join(folder, 'file'), '0123456789');
  expect(await readTextFile(join(folder, 'file'), 10)).toBe('0123456789');
  await expect(readTextFile(join(folder, 'file'), 9)).rejects.toThrow('it has more than 9 bytes');
});

it('reads what the system makes while it is read', async () => {
  expect(await readTextFile('/proc/self/limits')).toContain('Max open files');
});

it('waits neither for a pipe that nobody writes to nor for a device that never ends', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const file of [join(folder, 'pipe'), '/dev/zero'])
    await expect(readTextFile(file)).rejects.toThrow('it is no regular file');
});

it('fails as the file system does', async () => {
  mkdirSync(join(folder, 'folder'));
  await expect(readTextFile(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readTextFile(join(folder, 'folder'))).rejects.toMatchObject({ code: 'EISDIR' });
});
