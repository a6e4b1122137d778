import { startPostgres } from '../../../support/postgres.ts';

/** A database of an application of a test. */
export interface OwnDatabase {
  /** Of the configuration; absent: the SQLite file that an application of a test has by itself. */
  readonly configuration: { readonly database?: { readonly url: string } };
  readonly remove: () => Promise<void>;
}

/** What a suite is repeated on whose answers no database may change, by `describe.each`. */
export const bothDatabases: readonly {
  readonly database: string;
  readonly makeDatabase: () => Promise<OwnDatabase>;
}[] = [
  { database: 'SQLite', makeDatabase: ownFile },
  { database: 'PostgreSQL', makeDatabase: ownServer },
];

function ownFile(): Promise<OwnDatabase> {
  return Promise.resolve({ configuration: {}, remove: () => Promise.resolve() });
}

async function ownServer(): Promise<OwnDatabase> {
  const server = await startPostgres();
  const url = await server.createDatabase('plimsoll');
  return { configuration: { database: { url } }, remove: server.stop };
}
