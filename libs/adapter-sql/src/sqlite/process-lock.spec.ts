import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockForProcess } from './process-lock.ts';

describe('the lock of a database file', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-lock-'));
    file = join(folder, 'ledger.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  function refusal(): unknown {
    try {
      lockForProcess(file).release();
    } catch (error) {
      return error;
    }
    return null;
  }

  it('names who has it', () => {
    const lock = lockForProcess(file);
    expect(refusal()).toMatchObject({
      code: 'DatabaseLocked',
      message: expect.stringMatching(/ledger\.db is in use by process \d+ on /),
    });
    lock.release();
    expect(refusal()).toBeNull();
  });

  it('is in use by nobody where its file cannot be used', async () => {
    await writeFile(`${file}.lock`, 'no lock file: '.repeat(100));
    expect(refusal()).toMatchObject({
      code: 'DatabaseCorrupt',
      message: `${file}.lock is damaged; it holds nothing that is kept: delete it while no process has the database`,
    });
    file = join(folder, 'none', 'ledger.db');
    expect(refusal()).toBeInstanceOf(Error);
    expect(refusal()).not.toMatchObject({ code: 'DatabaseLocked' });
  });
});
