import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { openCheckpointKeys } from './checkpoint-key.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'plimsoll-key-'));
const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dataFolder]);

afterAll(async () => {
  if (status === 0) spawnSync('umount', [dataFolder]);
  await rm(dataFolder, { recursive: true, force: true });
});

const open = (): ReturnType<typeof openCheckpointKeys> =>
  openCheckpointKeys({ dataFolder, database: { url: 'sqlite:/ledger.db' }, checkpoints: {} }, true);

if (status === 0) {
  it('is the key that is there, where the disk is full before the first checkpoint', async () => {
    const made = await open();
    expect(() => writeFileSync(join(dataFolder, 'fill'), Buffer.alloc(128 * 1024))).toThrow('ENOSPC');
    expect(await open()).toEqual(made);
    expect(made.kind).toBe('keys');
  });
} else {
  it('is left out: no small disk may be mounted here', () => expect(status).not.toBe(0));
}
