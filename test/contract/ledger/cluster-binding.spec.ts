import { beforeAll, expect, it } from '@jest/globals';
import { type LedgerDatabase, SqlClusterBinding } from '#adapter-sql';
import { administrationScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { onBothDatabases } from './on-both-databases.ts';

onBothDatabases('of which cluster a database is', (opened) => {
  let database: LedgerDatabase;
  let binding: SqlClusterBinding;
  beforeAll(() => {
    database = opened();
    binding = new SqlClusterBinding(database.sql);
  });

  const prod = { uid: 'a1', name: 'prod' };
  const staging = { uid: 'b2', name: 'staging' };

  it('is of the first that says so, and of no other', async () => {
    expect(await binding.read()).toBeNull();
    expect(await Promise.all([binding.bind(prod), binding.bind(prod)])).toEqual([prod, prod]);
    expect(await binding.bind(staging)).toEqual(prod);
    expect(await binding.read()).toEqual(prod);
  });

  it('moves to another where it is known which one it leaves, and nobody works there any more', async () => {
    const fence = await takeFence(database.fences, { scope: administrationScope });
    expect(await binding.move('a1', staging)).toBe(false);
    await database.fences.giveUp([fence]);
    expect(await binding.move('c3', staging)).toBe(false);
    expect(await binding.read()).toEqual(prod);
    expect(await binding.move('a1', staging)).toBe(true);
    expect(await binding.read()).toEqual(staging);
  });
});
