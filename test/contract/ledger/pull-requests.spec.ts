import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase, SqlPullRequestStore } from '#adapter-sql';
import type { PullRequest, PullRequestStorePort } from '#git-sync';
import { FakePullRequestStore } from '#git-sync/testing';
import { fenceExpirySeconds, HeldFences, sourceScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { ageFences } from './empty-ledger-tables.ts';

const byForge: PullRequest = {
  number: 12,
  author: null,
  approvers: ['Ada <ada@example.com>'],
  verified: false,
};
const known: PullRequest = { number: 12, author: 'bo', approvers: ['ada'], verified: true };

let folder: string;
let database: LedgerDatabase;
let held: HeldFences;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-approvals-'));
  database = await openLedgerDatabase({ url: `sqlite:${join(folder, 'ledger.db')}` });
  held = new HeldFences([await takeFence(database.fences, { scope: sourceScope('policies') })]);
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const stores: readonly { readonly name: string; readonly open: () => PullRequestStorePort }[] = [
  { name: 'the fake', open: () => new FakePullRequestStore() },
  { name: 'SQL', open: () => new SqlPullRequestStore(database.sql, held) },
];

describe.each(stores)('who allowed a commit, in $name', ({ open }) => {
  it('is known once it is saved, and of other commits nothing', async () => {
    const store = open();
    await store.save('policies', 'a'.repeat(40), byForge);
    expect(await store.load(['a'.repeat(40), 'b'.repeat(40)])).toEqual(new Map([['a'.repeat(40), byForge]]));
    expect(await store.load([])).toEqual(new Map());
  });

  it('keeps what a forge says against what a message says', async () => {
    const store = open();
    const commit = 'c'.repeat(40);
    await store.save('policies', commit, byForge);
    await store.save('policies', commit, known);
    await store.save('policies', commit, byForge);
    expect((await store.load([commit])).get(commit)).toEqual(known);
  });
});

describe('who allowed a commit, in SQL', () => {
  it('is not saved by a process that lost the fence of the source', async () => {
    const store = new SqlPullRequestStore(database.sql, held);
    await ageFences(database.sql, fenceExpirySeconds);
    await takeFence(database.fences, { scope: sourceScope('policies'), holder: 'successor' });
    const commit = 'd'.repeat(40);
    for (const source of ['policies', 'others'])
      await expect(store.save(source, commit, known)).rejects.toMatchObject({ code: 'Fenced' });
    expect(await store.load([commit])).toEqual(new Map());
  });
});
