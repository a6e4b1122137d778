import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectReversible } from '../../../../test/contract/ledger/schema.ts';
import {
  expectNoWayBackFromFormat2,
  expectPayloadsAsText,
  expectUpgrade,
  type UpgradedDatabase,
  upgradedDatabase,
} from '../../../../test/contract/ledger/upgrades.ts';
import { openLedgerDatabase } from '../open-ledger-database.ts';
import { LedgerReader } from '../reading/ledger-reader.ts';
import { isMigrated } from './is-migrated.ts';
import { migrateSqlite, sqliteDataSource } from './migrate-sqlite.ts';
import { createPrivateFile } from './sqlite-connection.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-migrations-'));
});

afterAll(() => rm(folder, { recursive: true }));

function aDatabase(name: string): UpgradedDatabase {
  return upgradedDatabase(`sqlite:${join(folder, `${name}.db`)}`);
}

describe('migrations on SQLite', () => {
  // The others are those of `test/exhaustive`.
  it('keep what the first schema holds', async () => {
    await expectUpgrade(aDatabase('first'), 1);
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

  it('of a newer release are no hindrance, unless that says that this one cannot work with them', async () => {
    const file = join(folder, 'newer.db');
    createPrivateFile(file);
    await migrateSqlite(file);
    const source = await sqliteDataSource(file).initialize();
    const apply = (name: string) =>
      source.query(`INSERT INTO migration (timestamp, name) VALUES (1995264749000, '${name}')`);
    await apply('AddThings1995264749000');
    expect(isMigrated(file)).toBe(true);
    await apply('IncompatibleThings1995264750000');
    expect(() => isMigrated(file)).toThrow('IncompatibleThings1995264750000');
    await source.destroy();
    const newer = { code: 'NewerSchema' };
    await expect(openLedgerDatabase({ url: `sqlite:${file}` })).rejects.toMatchObject(newer);
    await expect(LedgerReader.open(`sqlite:${file}`)).rejects.toMatchObject(newer);
  });
});
