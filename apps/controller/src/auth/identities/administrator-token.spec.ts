import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AdministratorToken } from './administrator-token.ts';

/** No process: Linux gives out no more than 2^22. */
const endedPid = 2 ** 22 + 1;
/** Of another process that runs, and of whom no signal is accepted. */
const runningPid = 1;

describe('AdministratorToken', () => {
  let folder: string;
  let file: string;
  let printed: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'administrator-token-'));
    file = join(folder, 'token');
    printed = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const aToken = (isTerminal = false): AdministratorToken =>
    new AdministratorToken({ isTerminal, file, pid: process.pid, print: (line) => printed.push(line) });

  it('writes nothing before it is shown, and takes the file away when it is hidden', async () => {
    const token = aToken();
    expect(await readdir(folder)).toEqual([]);
    await token.show();
    expect(printed).toEqual([`administrator token of this process: in ${file}`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await token.hide();
    expect(await readdir(folder)).toEqual([]);
  });

  it('shows the same token again after it was hidden, and announces it once', async () => {
    const token = aToken();
    await token.show();
    const text = await readFile(file, 'utf8');
    await token.hide();
    await token.show();
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(printed).toHaveLength(1);
  });

  it('leaves the file of a process that runs, and writes one beside it', async () => {
    await writeFile(file, 'theirs');
    await writeFile(`${file}.pid`, `${runningPid}\n`);
    const token = aToken();
    await token.show();
    expect(await readFile(file, 'utf8')).toBe('theirs');
    expect(printed).toEqual([`administrator token of this process: in ${file}.${process.pid}`]);
    await token.hide();
    expect((await readdir(folder)).toSorted()).toEqual(['token', 'token.pid']);
  });

  it.each([
    ['has ended', `${endedPid}`],
    ['had the same id, as in a container that was started again', `${process.pid}`],
    ['cannot be told', 'x'],
  ])('replaces the file of a process that %s', async (_, pid) => {
    await writeFile(file, 'old');
    await writeFile(`${file}.pid`, pid);
    await aToken().show();
    expect(await readFile(file, 'utf8')).not.toBe('old');
    expect(await readFile(`${file}.pid`, 'utf8')).toBe(`${process.pid}\n`);
  });

  it('writes no file where there is a terminal', async () => {
    await aToken(true).show();
    expect(await readdir(folder)).toEqual([]);
    expect(printed).toEqual([expect.stringMatching(/^administrator token of this process: \S{20,}$/)]);
  });
});
