import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from '#adapter-sql';
import { retentionUrl } from './database-url.ts';

const url = 'postgres://plimsoll_controller@db.example.com/plimsoll';
const ownUrl = 'postgres://plimsoll_retention@db.example.com/plimsoll';

describe('retentionUrl', () => {
  it('has the password of its own file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-url-'));
    const retentionPasswordFile = join(folder, 'password');
    await writeFile(retentionPasswordFile, "p@ss:w/rd%1%20'\n");
    const complete = (await retentionUrl({ url, retentionUrl: ownUrl, retentionPasswordFile })) ?? '';
    expect(parseDatabaseUrl(complete)).toMatchObject({
      dialect: 'postgres',
      postgres: { host: 'db.example.com', user: 'plimsoll_retention', password: "p@ss:w/rd%1%20'" },
    });
    await rm(folder, { recursive: true });
  });

  it('is none where retention has no role of its own', async () => {
    expect(await retentionUrl({ url })).toBeNull();
  });

  it('is refused beside a file, which has no roles', async () => {
    const given = { url: 'sqlite:ledger.db', retentionUrl: ownUrl };
    await expect(retentionUrl(given)).rejects.toThrow('database.retentionUrl names a role of PostgreSQL');
  });
});
