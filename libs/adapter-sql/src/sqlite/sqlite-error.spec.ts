import { mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { codeOf } from '#kernel';
import { plainSqliteError } from './sqlite-error.ts';

describe('an error of SQLite', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-sqlite-error-'));
    file = join(folder, 'ledger.db');
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${file}${suffix}`, '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const readOnly = Object.assign(new Error('attempt to write a readonly database'), {
    code: 'SQLITE_READONLY',
  });
  const said = 'SQLITE_READONLY: attempt to write a readonly database';

  it('names the database, where SQLite says only that it cannot be used', () => {
    expect(plainSqliteError(readOnly, file)).toEqual({ code: 'ReadOnly', message: `${file} (${said})` });
  });

  // Root may use what it has no right to, but not a link that leads to itself.
  it.each(['', '-wal', '-shm'])('names the file that this process may not use: ledger.db%s', (suffix) => {
    const closed = `${file}${suffix}`;
    rmSync(closed);
    symlinkSync(closed, closed);
    const message = `too many symbolic links: ${closed} (${said})`;
    expect(plainSqliteError(readOnly, file)).toEqual({ code: 'ReadOnly', message });
  });

  it('is in words where the file system refused', () => {
    const missing = join(folder, 'none', 'ledger.db');
    let caught: unknown;
    try {
      openSync(missing, 'a');
    } catch (error) {
      caught = error;
    }
    expect(codeOf(caught)).toBe('ENOENT');
    expect(plainSqliteError(caught, file).message).toBe(`no such file or folder: ${missing}`);
  });
});
