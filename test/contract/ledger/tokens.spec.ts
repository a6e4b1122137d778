import { beforeAll, expect, it } from '@jest/globals';
import { type LedgerDatabase, SqlTokens } from '#adapter-sql';
import { administrationScope, type Fence, fenceExpirySeconds, type StoredToken } from '#ledger';
import { takeFence } from '#ledger/testing';
import { ageFences } from './empty-ledger-tables.ts';
import { onBothDatabases } from './on-both-databases.ts';

const aToken = (id: string, given: Partial<StoredToken> = {}): StoredToken => ({
  id,
  sha256: 'a'.repeat(64),
  name: 'ann/ci',
  owner: 'ann',
  parent: null,
  grants: [{ role: 'viewer', namespaces: ['*'] }],
  email: null,
  forgeLogin: null,
  createdAt: '2026-11-22T12:00:00Z',
  expiresAt: '2026-12-22T12:00:00Z',
  revokedAt: null,
  lastUsedAt: null,
  ...given,
});

onBothDatabases('API tokens', (opened) => {
  let database: LedgerDatabase;
  let store: SqlTokens;
  let fence: Fence;
  const before = '2026-01-01T00:00:00Z';
  beforeAll(async () => {
    database = opened();
    store = new SqlTokens(database.sql);
    fence = await takeFence(database.fences, { scope: administrationScope });
  });

  it('are none at first', async () => {
    expect([await store.revision(), await store.load()]).toEqual([0n, []]);
  });

  it('are stored, revoked once, and counted in each change', async () => {
    await store.add(aToken('a'), fence, before);
    await store.add(aToken('b', { parent: 'a' }), fence, before);
    expect([await store.revision(), await store.load()]).toEqual([
      2n,
      [aToken('a'), aToken('b', { parent: 'a' })],
    ]);
    await store.revoke(['a', 'b', 'c'], '2026-11-22T13:00:00Z', fence);
    await store.revoke(['a'], '2026-11-22T14:00:00Z', fence);
    expect((await store.load()).map(({ revokedAt }) => revokedAt)).toEqual([
      '2026-11-22T13:00:00Z',
      '2026-11-22T13:00:00Z',
    ]);
    expect(await store.revision()).toBe(4n);
  });

  it('know when they were used last, whatever order it is noted in', async () => {
    await store.noteUses(new Map([['a', '2026-11-22T12:05:00Z']]));
    await store.noteUses(
      new Map([
        ['a', '2026-11-22T12:04:00Z'],
        ['nothing', '2026-11-22T12:04:00Z'],
      ]),
    );
    expect((await store.load()).map(({ lastUsedAt }) => lastUsedAt)).toEqual(['2026-11-22T12:05:00Z', null]);
  });

  it('are forgotten some time after they expired, when another one is made', async () => {
    await store.add(aToken('d', { expiresAt: '2027-12-22T12:00:00Z' }), fence, '2027-01-01T00:00:00Z');
    expect((await store.load()).map(({ id }) => id)).toEqual(['d']);
  });

  it('that are over are forgotten, the oldest first, where they are too many; valid ones have room', async () => {
    const ended = Array.from({ length: 2_001 }, (_, index) => {
      const revokedAt = new Date(Date.parse('2026-11-23T12:00:00Z') + index).toISOString();
      return aToken(`ended-${index.toString().padStart(4, '0')}`, { revokedAt });
    });
    await database.sql.transaction(
      ended.map(({ id, ...token }, index) => ({
        sql: 'INSERT INTO api_token (id, revision, record, last_used_at) VALUES (?, ?, ?, NULL)',
        parameters: [id, BigInt(1_000 + index), JSON.stringify({ id, ...token, lastUsedAt: undefined })],
      })),
    );
    await store.add(aToken('d2', { expiresAt: '2027-12-22T12:00:00Z' }), fence, before);
    const kept = (await store.load()).map(({ id }) => id);
    expect(kept).toHaveLength(2_002);
    expect(kept.filter((id) => !id.startsWith('ended'))).toEqual(['d', 'd2']);
    expect(kept).not.toContain('ended-0000');
    expect(await store.revision()).toBe(3_001n);
    await database.sql.transaction([{ sql: "DELETE FROM api_token WHERE id <> 'd'" }]);
  });

  it('are not changed by a process that lost its fence', async () => {
    await ageFences(database.sql, fenceExpirySeconds);
    await takeFence(database.fences, { scope: administrationScope });
    await expect(store.add(aToken('e'), fence, before)).rejects.toMatchObject({ code: 'Fenced' });
    await expect(store.revoke(['d'], before, fence)).rejects.toMatchObject({ code: 'Fenced' });
    expect((await store.load()).map(({ revokedAt }) => revokedAt)).toEqual([null]);
  });
});
