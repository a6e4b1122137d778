import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { JournalFile } from './journal-file.ts';

it('on a disk without room for its reserve, the journal leaves what room there is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-journal-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status === 0;
  try {
    const path = join(folder, 'journal');
    const { file, problems } = await JournalFile.open(path, 'a-ledger');
    const { size } = await stat(path);
    await file.close();
    // Who may not mount has a disk with room.
    if (!isMounted) return;
    expect(problems).toEqual(['no room could be reserved for the journal: no space is left on the disk']);
    expect(size).toBeLessThan(1024);
  } finally {
    if (isMounted) spawnSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  }
});
