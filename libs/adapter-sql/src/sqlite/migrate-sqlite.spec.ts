import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectReversible } from '../../../../test/contract/ledger/schema.ts';
import { isMigrated } from './is-migrated.ts';
import { migrateSqlite, sqliteDataSource } from './migrate-sqlite.ts';
import { createPrivateFile } from './sqlite-connection.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-migrations-'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('migrations on SQLite', () => {
  it('go up and down, and make what the entities map', async () => {
    await expectReversible(sqliteDataSource(join(folder, 'reversible.db')));
  });

  it('are known to be done', async () => {
    const file = join(folder, 'known.db');
    createPrivateFile(file);
    expect(isMigrated(file)).toBe(false);
    await migrateSqlite(file);
    expect(isMigrated(file)).toBe(true);
  });
});
