import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { parseDatabaseUrl } from '#adapter-sql';
import { databaseAddress, noteNewFile, retentionAddress } from './database-address.ts';

const url = 'postgres://plimsoll_controller@db.example.com/plimsoll';
const ownUrl = 'postgres://plimsoll_retention@db.example.com/plimsoll';

describe('retentionAddress', () => {
  it('has the password of its own file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-url-'));
    const retentionPasswordFile = join(folder, 'password');
    await writeFile(retentionPasswordFile, "p@ss:w/rd%1%20'\n");
    const address = await retentionAddress({ url, retentionUrl: ownUrl, retentionPasswordFile });
    expect(parseDatabaseUrl(address?.url ?? '')).toMatchObject({
      dialect: 'postgres',
      postgres: { host: 'db.example.com', user: 'plimsoll_retention', password: "p@ss:w/rd%1%20'" },
    });
    expect(address?.settings).toEqual({
      url: 'database.retentionUrl',
      password: `database.retentionPasswordFile ${retentionPasswordFile}; the user is in database.retentionUrl`,
    });
    await rm(folder, { recursive: true });
  });

  it('is none where retention has no role of its own', async () => {
    expect(await retentionAddress({ url })).toBeNull();
  });

  it('is refused beside a file, which has no roles', async () => {
    const given = { url: 'sqlite:ledger.db', retentionUrl: ownUrl };
    await expect(retentionAddress(given)).rejects.toThrow('database.retentionUrl names a role of PostgreSQL');
  });
});

describe('databaseAddress', () => {
  it('names the setting of a password file that cannot be read', async () => {
    await expect(databaseAddress({ url, passwordFile: '/nonexistent/password' })).rejects.toMatchObject({
      code: 'PasswordFileUnreadable',
      retryable: false,
      message: 'database.passwordFile: no such file or folder: /nonexistent/password',
    });
  });
});

describe('noteNewFile', () => {
  const warningsFor = (file: string): readonly unknown[] => {
    const warnings: unknown[] = [];
    const logger = { warn: (...given: unknown[]) => warnings.push(given) } as unknown as Logger;
    noteNewFile(`sqlite:${file}`, logger);
    return warnings;
  };

  it('warns of a file that is not there, since a mistyped path begins an empty ledger', () => {
    expect(warningsFor('/nonexistent/x.db')).toEqual([
      [
        { setting: 'database.url', file: '/nonexistent/x.db' },
        'a new ledger begins, since its file was not there: history, interventions and holds of an earlier one are not in it',
      ],
    ]);
  });

  it('says nothing of one that is there', () => {
    expect(warningsFor(import.meta.filename)).toEqual([]);
  });
});
