import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { migratedAhead } from '../../support/migrated-ahead.ts';
import { startPostgres } from '../../support/postgres.ts';

/**
 * The same suite on SQLite and on PostgreSQL, each on one database that all of its tests share.
 *
 * @param suite gets how the database is reached, once the tests run
 */
export function onBothDatabases(name: string, suite: (opened: () => LedgerDatabase) => void): void {
  describe.each([
    { on: 'SQLite', make: makeSqlite },
    { on: 'PostgreSQL', make: makePostgres },
  ])(`${name} in $on`, ({ make }) => {
    let made: MadeDatabase;
    let database: LedgerDatabase;
    beforeAll(async () => {
      made = await make();
      database = await openLedgerDatabase({ url: made.url });
    }, 60_000);
    afterAll(async () => {
      await database.close();
      await made.remove();
    });

    suite(() => database);
  });
}

interface MadeDatabase {
  readonly url: string;
  readonly remove: () => Promise<void>;
}

async function makeSqlite(): Promise<MadeDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-ledger-'));
  const url = await migratedAhead(`sqlite:${join(folder, 'ledger.db')}`);
  return { url, remove: () => rm(folder, { recursive: true }) };
}

async function makePostgres(): Promise<MadeDatabase> {
  const server = await startPostgres();
  return { url: await server.createDatabase('ledger'), remove: () => server.stop() };
}
