import { AdapterError, isJsonObject } from '#kernel';
import { TextPool } from '#kernel';
import {
  maximumPoliciesPerRead,
  type PolicyKey,
  type PolicyState,
  policyStream,
  type RecordedConditions,
} from '#ledger';
import type { SqlDatabase, SqlQuery, SqlRow } from '../connection/sql-database.ts';
import { conditionsOf, jsonOrNothing, stateOf } from '../statements/rows.ts';
import { within } from '../statements/within.ts';

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
  const rows = await readRows(database, { table: 'policy_state' }, policies);
  const texts = new TextPool();
  return rows.map((row) => texts.share(stateOf(row)));
}

export async function readConditions(
  database: SqlDatabase,
  policies: readonly PolicyKey[],
): Promise<readonly RecordedConditions[]> {
  const rows = await readRows(database, { table: 'policy_conditions' }, policies);
  const texts = new TextPool();
  return rows.map((row) => texts.share(conditionsOf(row)));
}

/** In the order of `policies`; null where no state names one. */
export async function readLatestDecisions(
  database: SqlDatabase,
  policies: readonly PolicyKey[],
): Promise<readonly (string | null)[]> {
  const rows = await readLastEntries(database, policies);
  const entries = new Map(rows.map((row) => [row['stream'], row['entry']]));
  return policies.map((policy) => {
    const entry = entries.get(policyStream(policy));
    return typeof entry === 'string' ? entry : null;
  });
}

/** Rows of `stream` and `entry`. Where one is damaged, the database refuses to read any of them by their JSON. */
async function readLastEntries(
  database: SqlDatabase,
  policies: readonly PolicyKey[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const table = 'policy_state';
  const json = database.dialect === 'postgres' ? 'CAST(last_decision AS JSON)' : 'last_decision';
  try {
    // The rest of the text, the decision itself, is not wanted here.
    return await readRows(database, { table, columns: `stream, ${json} ->> 'entry' AS entry` }, policies);
  } catch (error) {
    if (!(error instanceof AdapterError) || error.code !== 'QueryFailed') throw error;
  }
  const rows = await readRows(database, { table, columns: 'stream, last_decision' }, policies);
  return rows.map(({ stream, last_decision: text }) => {
    const decision = typeof text === 'string' ? jsonOrNothing(text) : undefined;
    return { stream, entry: isJsonObject(decision) ? decision['entry'] : null };
  });
}

async function readRows(
  database: SqlDatabase,
  { table, columns = '*' }: { readonly table: string; readonly columns?: string },
  policies: readonly PolicyKey[],
): Promise<readonly SqlRow[]> {
  within('policies', policies.length, maximumPoliciesPerRead);
  if (policies.length === 0) return [];
  return database.query({
    sql: `SELECT ${columns} FROM ${table} WHERE stream IN (${policies.map(() => '?').join(', ')}) ORDER BY stream`,
    parameters: policies.map(policyStream),
  });
}
