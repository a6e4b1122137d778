import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectReversible } from '../../../../test/contract/ledger/schema.ts';
import {
  earlierSchemas,
  expectNoWayBackFromFormat2,
  expectPayloadsAsText,
  expectUpgrade,
  type UpgradedDatabase,
} from '../../../../test/contract/ledger/upgrades.ts';
import { isMigrated } from './is-migrated.ts';
import { migrateSqlite, sqliteDataSource } from './migrate-sqlite.ts';
import { createPrivateFile } from './sqlite-connection.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-migrations-'));
});

afterAll(() => rm(folder, { recursive: true }));

function aDatabase(name: string): UpgradedDatabase {
  const file = join(folder, `${name}.db`);
  return { url: `sqlite:${file}`, source: () => sqliteDataSource(file) };
}

describe('migrations on SQLite', () => {
  it.each(earlierSchemas)('keep what the schema of $name holds', async ({ name, count }) => {
    await expectUpgrade(aDatabase(name), count);
  });

  it('let no stream go back from format 2', async () => {
    await expectNoWayBackFromFormat2(aDatabase('back'));
  });

  it('give every payload as text again on the way back from compressed ones', async () => {
    await expectPayloadsAsText(aDatabase('unpacked'));
  });

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
