import { expect } from '@jest/globals';
import {
  backUpDatabase,
  openLedgerDatabase,
  parseDatabaseUrl,
  restoreDatabase,
  SqlCheckpoints,
} from '#adapter-sql';
import { openReadConnection } from '#adapter-sql/testing';
import { policyStream, sha256Hex, verifyStream } from '#ledger';
import { checkout, timeAfter } from '../../support/ledger-builders.ts';
import { fillEarlierSchema, upgradedDatabase } from './upgrades.ts';

const stream = policyStream(checkout);
const nothing = (): void => undefined;

/** Two databases that are new, by their URLs, and a file that is not there. */
export interface RestoredDatabase {
  readonly from: string;
  readonly to: string;
  readonly file: string;
}

/** Fills a database of an earlier schema, backs it up, restores it into another one, and upgrades that. */
export async function expectRestored(
  { from, to, file }: RestoredDatabase,
  migrationCount: number,
): Promise<void> {
  await fillEarlierSchema(upgradedDatabase(from), migrationCount);
  await backUpDatabase({ url: from, file, madeAt: timeAfter(9), onRows: nothing });
  const { migrations } = await restoreDatabase({ url: to, file, onRows: nothing });
  expect(migrations).toHaveLength(migrationCount);
  const [before, after] = await Promise.all([from, to].map(allRows));
  expect(after).toEqual(before);
  const { ledger, sql, close } = await openLedgerDatabase({ url: to });
  try {
    const entries = await ledger.streamEntries({ stream, after: 0n, limit: 100 });
    const [head] = await ledger.heads([stream]);
    expect(verifyStream(entries, head!, sha256Hex)).toMatchObject({ ok: true });
    expect(await new SqlCheckpoints(sql).restoredBackup()).toBe(timeAfter(9));
  } finally {
    await close();
  }
}

async function allRows(url: string): Promise<object> {
  const connection = await openReadConnection(parseDatabaseUrl(url));
  try {
    const rows: Record<string, unknown> = {};
    for (const table of ['ledger_entry', 'stream_head', 'pending_intent'])
      rows[table] = await connection.query({ sql: `SELECT * FROM ${table}` });
    return rows;
  } finally {
    await connection.close();
  }
}
