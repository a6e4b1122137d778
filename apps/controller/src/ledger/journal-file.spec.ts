import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { JournalRecord } from '#ledger';
import { JournalFile } from './journal-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-journal-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);

afterAll(async () => {
  if (mounted.status === 0) spawnSync('umount', [folder]);
  await rm(folder, { recursive: true, force: true });
});

if (mounted.status === 0) {
  it('on a disk without room for its reserve, the journal leaves what room there is', async () => {
    const path = join(folder, 'journal');
    const { file, problems } = await JournalFile.open(path, 'a-ledger');
    const { size } = await stat(path);
    await file.close();
    expect(problems).toEqual(['no room could be reserved for the journal: no space is left on the disk']);
    expect(size).toBeLessThan(1024);
  });
} else {
  it('is left out: no small disk may be mounted here', () => expect(mounted.status).not.toBe(0));
}

it('keeps nothing in a file that the next process would not find, and goes on where it is put back', async () => {
  const place = mkdtempSync(join(tmpdir(), 'plimsoll-journal-'));
  const path = join(place, 'journal');
  const { file } = await JournalFile.open(path, 'a-ledger');
  const record: JournalRecord = { number: 1, scope: 'shard/0', epoch: '1', drafts: [], states: [] };
  await rename(path, `${path}.away`);
  await expect(file.append([record])).rejects.toThrow(`${path} is not the file that was opened`);
  await rename(`${path}.away`, path);
  await expect(file.append([record])).resolves.toHaveLength(1);
  await file.close();
  await rm(place, { recursive: true });
});
