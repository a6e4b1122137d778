import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileWatch } from './file-watch.ts';

describe('the watch of a file', () => {
  let folder: string;
  let file: string;
  let watch: FileWatch | undefined;
  /** What each look has found. */
  let seen: string[];
  let onLook: () => void;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-watch-'));
    file = join(folder, 'plimsoll.yaml');
    seen = [];
    onLook = () => undefined;
  });
  afterEach(async () => {
    await watch?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function start(options: { readonly lookMilliseconds?: number; readonly quietMilliseconds?: number }): void {
    const look = async (): Promise<void> => {
      seen.push(await readFile(file, 'utf8'));
      onLook();
    };
    watch = new FileWatch({ file, look, ...options });
    watch.start();
  }

  /** Resolves with the next look that finds the text. */
  function untilSeen(text: string): Promise<void> {
    return new Promise((resolve) => {
      onLook = () => {
        if (seen.at(-1) === text) resolve();
      };
    });
  }

  it('looks when the links of a ConfigMap are swapped', async () => {
    for (const version of ['1', '2']) {
      await mkdir(join(folder, `..${version}`));
      await writeFile(join(folder, `..${version}`, 'plimsoll.yaml'), version);
    }
    await symlink('..1', join(folder, '..data'));
    await symlink(join('..data', 'plimsoll.yaml'), file);
    start({ lookMilliseconds: 3_600_000, quietMilliseconds: 1 });
    const second = untilSeen('2');
    await symlink('..2', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await second;
  });

  it('looks now and then, where nothing tells of a change', async () => {
    await writeFile(file, 'as it was');
    start({ lookMilliseconds: 5, quietMilliseconds: 3_600_000 });
    await untilSeen('as it was');
    const changed = untilSeen('changed');
    await writeFile(file, 'changed');
    await changed;
  });

  it('looks once at changes that come together, and once more at what comes during a look', async () => {
    await writeFile(file, '0');
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<undefined>();
    let looks = 0;
    watch = new FileWatch({
      file,
      look: async () => {
        looks += 1;
        if (looks === 1) await isHeld;
      },
      lookMilliseconds: 3_600_000,
      quietMilliseconds: 3_600_000,
    });
    watch.start();
    for (let change = 0; change < 10; change += 1) watch.request();
    expect(looks).toBe(1);
    letGo(undefined);
    await new Promise(setImmediate);
    expect(looks).toBe(2);
  });

  it('looks no more once it has stopped, and ends with the look under way', async () => {
    await writeFile(file, '0');
    start({ lookMilliseconds: 5 });
    await untilSeen('0');
    await watch?.stop();
    const { length } = seen;
    watch?.request();
    await new Promise(setImmediate);
    expect(seen).toHaveLength(length);
  });
});
