import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

const { mkdtemp, readdir, readFile, rm, utimes, writeFile } = files;

/** What other commands do between a look at the lock and what follows from it. */
let afterLook = (): Promise<void> => Promise.resolve();
jest.unstable_mockModule('node:fs/promises', () => ({
  ...files,
  stat: async (path: string) => {
    const seen = await files.stat(path);
    await afterLook();
    return seen;
  },
}));
const { contextNames, lastingContext, loadContext, saveContext } = await import('./contexts.ts');

let home = '';
const environment = (): { readonly XDG_CONFIG_HOME: string } => ({ XDG_CONFIG_HOME: home });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'plimsoll-contexts-'));
});

afterEach(() => rm(home, { recursive: true }));

const context = { server: 'http://127.0.0.1:1', token: 'secret' };

describe('the contexts that are kept', () => {
  it('wait for a command that was first to remove the lock of one that was killed', async () => {
    const file = await saveContext('first', context, environment());
    const lock = `${file}.lock`;
    await writeFile(lock, '');
    await utimes(lock, 0, 0);
    const found: string[] = [];
    afterLook = async () => {
      // This one has looked at the old lock; before it goes on, another command has removed that, and holds its own.
      await rm(lock);
      await writeFile(lock, 'of another command');
      afterLook = async () => {
        found.push(await readFile(lock, 'utf8'));
        afterLook = () => Promise.resolve();
        await rm(lock);
      };
    };
    await saveContext('second', context, environment());
    expect(found).toEqual(['of another command']);
    expect(await contextNames(environment())).toEqual(['first', 'second']);
    expect(await readdir(join(home, 'plimsoll'))).toEqual(['contexts.json']);
  });

  it('leave the lock to a command that has taken it for that of a dead one', async () => {
    const lock = join(home, 'plimsoll', 'contexts.json.lock');
    const provider = createServer((_, response) => {
      rmSync(lock);
      writeFileSync(lock, 'of another command');
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const renewal = { issuer, clientId: 'cli', refreshToken: 'secret', renewAt: '2026-11-20T12:00:00Z' };
    await saveContext('first', { ...context, renewal }, environment());
    await expect(lastingContext(await loadContext('first', environment()))).rejects.toThrow(
      'does not answer',
    );
    expect(await readFile(lock, 'utf8')).toBe('of another command');
    provider.closeAllConnections();
    provider.close();
  });
});
