import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configurationErrorText } from '#configuration';
import { ConfigurationLoader, type ConfigurationPlace } from './configuration-loader.ts';

describe('ConfigurationLoader', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-config-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function load(place: ConfigurationPlace): ReturnType<ConfigurationLoader['load']> {
    return new ConfigurationLoader(place).load();
  }

  it('reads the file and lays the environment over it', async () => {
    const file = join(folder, 'plimsoll.yaml');
    await writeFile(
      file,
      'cluster: {name: prod}\nmode: Observe\nnamespaces: [shop]\nsources: [{name: a, url: "https://git.example.com/a.git"}]\n',
    );
    const loaded = await load({ file, environment: { PLIMSOLL_MODE: 'Act' } });
    expect(loaded).toMatchObject({ ok: true, value: { mode: 'Act', cluster: { name: 'prod' } } });
  });

  it('says which file cannot be read', async () => {
    const result = await load({ file: join(folder, 'none.yaml'), environment: {} });
    expect(result.ok ? [] : result.error.map(configurationErrorText)).toEqual([
      expect.stringMatching(/none\.yaml: no such file or folder$/),
    ]);
  });

  it('refuses a file that is too large to be a configuration, without reading it', async () => {
    const file = join(folder, 'large.yaml');
    await writeFile(file, Buffer.alloc(1024 * 1024 + 1, 10));
    const result = await load({ file, environment: {} });
    expect(result.ok ? [] : result.error.map(configurationErrorText)).toEqual([
      expect.stringMatching('large.yaml: 1048577 bytes; .*at most 1048576'),
    ]);
  });

  it('parses a file again when its text has changed, and else gives the same result', async () => {
    const file = join(folder, 'changing.yaml');
    const rest =
      'cluster: {name: prod}\nnamespaces: [shop]\nsources: [{name: a, url: "https://git.example.com/a.git"}]\n';
    await writeFile(file, `mode: Observe\n${rest}`);
    const loader = new ConfigurationLoader({ file, environment: {} });
    const first = await loader.load();
    expect(await loader.load()).toBe(first);
    await writeFile(file, `mode: Act\n${rest}`);
    const changed = await loader.load();
    expect([first, changed]).toMatchObject([{ value: { mode: 'Observe' } }, { value: { mode: 'Act' } }]);
    await writeFile(file, 'mode: [\n');
    expect((await loader.load()).ok).toBe(false);
    await writeFile(file, `mode: Act\n${rest}`);
    expect(await loader.load()).toEqual(changed);
  });
});
