import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuiltConsole } from './built-console.ts';

describe('the built console', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-console-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), 'plain');
    await writeFile(join(folder, 'index.html.br'), 'small');
    await writeFile(join(folder, 'index.html.gz'), 'less small');
    await writeFile(join(folder, 'assets/a-1.js'), 'code');
    await writeFile(join(folder, 'documents.json'), '[]');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    { name: 'the smallest that is accepted', path: 'index.html', accept: 'gzip, deflate, br', want: 'small' },
    { name: 'gzip, where that is all', path: 'index.html', accept: 'gzip;q=0.5', want: 'less small' },
    { name: 'the file, where nothing is accepted', path: 'index.html', accept: '', want: 'plain' },
    { name: 'an asset', path: 'assets/a-1.js', accept: 'br', want: 'code' },
  ])('sends $name', async ({ path, accept, want }) => {
    const file = await new BuiltConsole(folder).load(path, accept);
    expect(file?.bytes.toString()).toBe(want);
  });

  it.each([
    'nothing.js',
    'assets/../index.html',
    '../package.json',
    'assets/',
    'documents.json',
    'index.html.br',
  ])('has no %s', async (path) => {
    expect(await new BuiltConsole(folder).load(path, 'br')).toBeUndefined();
  });

  it('has nothing where nothing was built', async () => {
    expect(await new BuiltConsole(join(folder, 'nothing')).load('index.html')).toBeUndefined();
  });
});
