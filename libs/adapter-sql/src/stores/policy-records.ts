import { TextPool } from '#kernel';
import {
  maximumPoliciesPerRead,
  type PolicyKey,
  type PolicyState,
  policyStream,
  type RecordedConditions,
} from '#ledger';
import type { SqlDatabase, SqlQuery, SqlRow } from '../sql-database.ts';
import { conditionsOf, stateOf } from './rows.ts';
import { within } from './within.ts';

/** The names of policies that have a state or conditions. Each table is read no further than the page may reach. */
export function recordedStreams(after: string, limit: number): SqlQuery {
  const page = (table: string): string =>
    `SELECT stream FROM (SELECT stream FROM ${table} WHERE stream > ? ORDER BY stream LIMIT ${limit}) AS ${table}`;
  return {
    sql: `${page('policy_state')} UNION ${page('policy_conditions')} ORDER BY stream LIMIT ${limit}`,
    parameters: [after, after],
  };
}

export async function readStates(
  database: SqlDatabase,
  policies: readonly PolicyKey[],
): Promise<readonly PolicyState[]> {
  const rows = await readRows(database, 'policy_state', policies);
  const texts = new TextPool();
  return rows.map((row) => texts.share(stateOf(row)));
}

export async function readConditions(
  database: SqlDatabase,
  policies: readonly PolicyKey[],
): Promise<readonly RecordedConditions[]> {
  const rows = await readRows(database, 'policy_conditions', policies);
  const texts = new TextPool();
  return rows.map((row) => texts.share(conditionsOf(row)));
}

async function readRows(
  database: SqlDatabase,
  table: string,
  policies: readonly PolicyKey[],
): Promise<readonly SqlRow[]> {
  within('policies', policies.length, maximumPoliciesPerRead);
  if (policies.length === 0) return [];
  return database.query({
    sql: `SELECT * FROM ${table} WHERE stream IN (${policies.map(() => '?').join(', ')}) ORDER BY stream`,
    parameters: policies.map(policyStream),
  });
}
