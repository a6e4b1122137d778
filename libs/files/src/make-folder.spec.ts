import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeFolder, makeFolderSync } from './make-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  { name: 'makeFolder', make: makeFolder },
  {
    name: 'makeFolderSync',
    // As a rejection, as the other has it.
    make: (path: string, mode?: number) => Promise.resolve().then(() => makeFolderSync(path, mode)),
  },
])('$name', ({ make }) => {
  it('makes a folder and those above it, with their mode', async () => {
    await make(join(folder, 'a', 'b', 'c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  });

  it('leaves one that is there, also when it is made meanwhile', async () => {
    mkdirSync(join(folder, 'a'), { mode: 0o755 });
    await make(join(folder, 'a'), 0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o755);
    await Promise.all([1, 2, 3].map(() => make(join(folder, 'x', 'y', 'z'))));
    expect(existsSync(join(folder, 'x', 'y', 'z'))).toBe(true);
    await make('/');
  });

  it('fails where there is a file, or a part of the path is one', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('fails where a link leads nowhere, and says of one that may not be followed why', async () => {
    symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'));
    symlinkSync('circle', join(folder, 'circle'));
    await expect(make(join(folder, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'dangling', 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'circle'))).rejects.toMatchObject({ code: 'ELOOP' });
    symlinkSync(folder, join(folder, 'here'));
    await make(join(folder, 'here'));
  });

  it('ends below a folder in which nothing can be made', async () => {
    await expect(make('/proc/plimsoll/a/b')).rejects.toThrow("mkdir '/proc");
  });
});
