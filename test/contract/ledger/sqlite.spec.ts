import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { emptyLedger } from './empty-ledger-tables.ts';
import { describeLedgerPort } from './ledger-contract.ts';

let folder: string | undefined;
let database: LedgerDatabase | undefined;

describeLedgerPort('SQLite', {
  empty: async () => {
    folder ??= await mkdtemp(join(tmpdir(), 'plimsoll-ledger-'));
    database ??= await openLedgerDatabase({ url: `sqlite:${join(folder, 'ledger.db')}` });
    return emptyLedger(database);
  },
  end: async () => {
    await database?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  },
});
