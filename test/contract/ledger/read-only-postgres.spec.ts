import { expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { shardScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { startPostgres } from '../../support/postgres.ts';

it('a PostgreSQL that takes no writes renews nothing, whether there are fences or not', async () => {
  const server = await startPostgres();
  try {
    const url = await server.createDatabase('standby');
    const database = await openLedgerDatabase({ url });
    const fence = await takeFence(database.fences, { scope: shardScope(1) });
    await database.sql.transaction([
      { sql: `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on` },
    ]);
    await database.close();
    const standby = await openLedgerDatabase({ url });
    expect(await standby.fences.look([shardScope(1)])).toMatchObject([{ epoch: 1n }]);
    for (const held of [[], [fence]]) await expect(standby.fences.renew(held)).rejects.toBeDefined();
    await standby.close();
  } finally {
    await server.stop();
  }
}, 60_000);
