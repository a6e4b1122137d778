import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfiguration } from './load-configuration.ts';

describe('loadConfiguration', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-config-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads the file and lays the environment over it', async () => {
    const file = join(folder, 'plimsoll.yaml');
    await writeFile(
      file,
      'cluster: {name: prod}\nmode: Observe\nnamespaces: [shop]\nsources: [{name: a, url: "https://git.example.com/a.git"}]\n',
    );
    const loaded = await loadConfiguration({ file, environment: { PLIMSOLL_MODE: 'Act' } });
    expect(loaded).toMatchObject({ ok: true, value: { mode: 'Act', cluster: { name: 'prod' } } });
  });

  it('says which file cannot be read', async () => {
    const result = await loadConfiguration({ file: join(folder, 'none.yaml'), environment: {} });
    expect(result.ok ? [] : result.error).toEqual([expect.stringMatching('none.yaml: ENOENT')]);
  });

  it('refuses a file that is too large to be a configuration, without reading it', async () => {
    const file = join(folder, 'large.yaml');
    await writeFile(file, Buffer.alloc(1024 * 1024 + 1, 10));
    const result = await loadConfiguration({ file, environment: {} });
    expect(result.ok ? [] : result.error).toEqual([
      expect.stringMatching('large.yaml: 1048577 bytes; .*at most 1048576'),
    ]);
  });
});
