import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { emptyLedger } from './empty-ledger-tables.ts';
import { describeLedgerPort } from './ledger-contract.ts';

let folder: string | undefined;
let database: LedgerDatabase | undefined;

async function createDatabase(name: string): Promise<string> {
  folder ??= await mkdtemp(join(tmpdir(), 'plimsoll-ledger-'));
  return `sqlite:${join(folder, `${name}.db`)}`;
}

describeLedgerPort('SQLite', {
  empty: async () => {
    database ??= await openLedgerDatabase({ url: await createDatabase('ledger') });
    return emptyLedger(database);
  },
  createDatabase,
  end: async () => {
    await database?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  },
});
