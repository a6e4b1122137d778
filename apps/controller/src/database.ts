import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type LedgerDatabase, openLedgerDatabase, SqlRevisionStore } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { administrationScope, formerScope, LedgerWriter, shardScope, sourceScope } from '#ledger';
import { ProcessFences } from './ledger/process-fences.ts';

/** The ledger, and this process's right to write to it. */
export interface OpenLedger extends LedgerDatabase {
  readonly writer: LedgerWriter;
  readonly held: ProcessFences;
}

/** Opens and migrates the database of a configuration, and waits until no other process carries policies out. */
export async function openLedger(configuration: Configuration, logger: Logger): Promise<OpenLedger> {
  const database = await openLedgerDatabase({ url: await urlOf(configuration.database) });
  const held = new ProcessFences({ port: database.fences, logger });
  const close = async (): Promise<void> => {
    await held.giveUp();
    await database.close();
  };
  try {
    const scopes = await scopesOf(configuration, database);
    await held.acquire(scopes, () => undefined, new AbortController().signal);
    const writer = new LedgerWriter({
      port: database.ledger,
      fence: () => held.of(shardScope(0)),
      cluster: configuration.cluster.name,
    });
    return { ...database, writer, held, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All there are: a source that the configuration names no more may still have policies in force. */
async function scopesOf({ sources }: Configuration, { sql }: LedgerDatabase): Promise<readonly string[]> {
  const known = await new SqlRevisionStore(sql).listSources();
  const names = new Set([...sources.map(({ name }) => name), ...known.map(({ source }) => source)]);
  return [administrationScope, formerScope, shardScope(0), ...[...names].map(sourceScope)];
}

async function urlOf({ url, passwordFile }: Configuration['database']): Promise<string> {
  if (passwordFile === undefined) return url;
  const withPassword = new URL(url);
  withPassword.password = (await readFile(passwordFile, 'utf8')).trim();
  return withPassword.href;
}
