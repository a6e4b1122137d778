import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { emptyLedger } from './empty-ledger-tables.ts';
import { describeLedgerPort } from './ledger-contract.ts';

let server: TestPostgres | undefined;
let database: LedgerDatabase | undefined;

describeLedgerPort('PostgreSQL', {
  empty: async () => {
    server ??= await startPostgres();
    database ??= await openLedgerDatabase({ url: await server.createDatabase('ledger') });
    return emptyLedger(database);
  },
  end: async () => {
    await database?.close();
    await server?.stop();
  },
});
