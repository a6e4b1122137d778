import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { emptyLedger } from './empty-ledger-tables.ts';
import { describeLedgerPort } from './ledger-contract.ts';

let server: TestPostgres | undefined;
let database: LedgerDatabase | undefined;

async function createDatabase(name: string): Promise<string> {
  server ??= await startPostgres();
  return server.createDatabase(name);
}

describeLedgerPort('PostgreSQL', {
  empty: async () => {
    database ??= await openLedgerDatabase({ url: await createDatabase('ledger') });
    return emptyLedger(database);
  },
  createDatabase,
  end: async () => {
    await database?.close();
    await server?.stop();
  },
});
