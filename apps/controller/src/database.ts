import { readFile } from 'node:fs/promises';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { type Fence, LedgerWriter } from '#ledger';

/** The ledger, and this process's right to append to it. */
export interface OpenLedger extends LedgerDatabase {
  readonly writer: LedgerWriter;
}

/** The scope that is taken over: all of it, while there is one process. */
const scope = 'ledger';

/** Opens and migrates the database of a configuration, and takes the ledger over from whoever held it. */
export async function openLedger(configuration: Configuration): Promise<OpenLedger> {
  const database = await openLedgerDatabase({ url: await urlOf(configuration.database) });
  try {
    const fence: Fence = await database.ledger.takeOver(scope);
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: configuration.cluster.name });
    return { ...database, writer };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function urlOf({ url, passwordFile }: Configuration['database']): Promise<string> {
  if (passwordFile === undefined) return url;
  const withPassword = new URL(url);
  withPassword.password = (await readFile(passwordFile, 'utf8')).trim();
  return withPassword.href;
}
