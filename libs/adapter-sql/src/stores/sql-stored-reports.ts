import type { Condition } from '#decision';
import { type PolicyKey, policyOfStream, policyStream } from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { parsedColumn, streamOf, textOf } from '../statements/rows.ts';

/** What the database has of a policy's latest passes. */
export interface StoredReport {
  readonly policy: PolicyKey;
  /** When its state was stored, RFC 3339; null: it has none yet. */
  readonly storedAt: string | null;
  readonly conditions: readonly Condition[];
  /** The target's count when its state was stored; null: not known. */
  readonly replicas: number | null;
  /** The most that its metrics asked for, before any bound; 0: nothing. */
  readonly proposedReplicas: number;
  /** Whether pods were not selected as the policy asks. */
  readonly isFallback: boolean;
}

/** Policies that one statement reads. */
export const maximumStoredReports = 1_000;

/** Of a decision, which may have the pods of the target in it, only what is shown of it leaves the database. */
const select = `
  SELECT wanted.stream, state.updated_at, state.replicas, state.fallback, state.proposed, policy_conditions.conditions
  FROM unnest(CAST(? AS TEXT[])) AS wanted (stream)
  LEFT JOIN policy_conditions ON policy_conditions.stream = wanted.stream
  LEFT JOIN LATERAL (
    SELECT updated_at, account::jsonb ->> 'replicas' AS replicas,
      last.decision #>> '{selection,fallback}' AS fallback,
      (SELECT CAST(MAX((metric ->> 'proposedReplicas')::bigint) AS TEXT)
        FROM jsonb_array_elements(COALESCE(last.decision -> 'metrics', '[]'::jsonb)) AS metric) AS proposed
    FROM policy_state CROSS JOIN LATERAL (SELECT last_decision::jsonb -> 'decision' AS decision) AS last
    WHERE policy_state.stream = wanted.stream
  ) AS state ON TRUE
  WHERE state.updated_at IS NOT NULL OR policy_conditions.conditions IS NOT NULL`;

/** What a PostgreSQL that several processes share has of policies that another one decides. */
export class SqlStoredReports {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /**
   * Of at most `maximumStoredReports` policies, with one statement; those of which nothing is stored are left out. One
   * process has SQLite for itself, and nothing to read from it.
   *
   * @throws AdapterError
   */
  async read(policies: readonly PolicyKey[]): Promise<readonly StoredReport[]> {
    if (policies.length === 0 || this.#database.dialect === 'sqlite') return [];
    const streams = JSON.stringify(policies.map(policyStream)).slice(1, -1);
    const rows = await this.#database.query({ sql: select, parameters: [`{${streams}}`] });
    return rows.map(reportOf);
  }
}

function reportOf(row: SqlRow): StoredReport {
  const policy = policyOfStream(textOf(row, 'stream'));
  if (policy === null) throw databaseError('DatabaseCorrupt', 'column stream names no policy');
  const { conditions, updated_at: storedAt, fallback } = row;
  return {
    policy,
    storedAt: typeof storedAt === 'string' ? storedAt : null,
    conditions:
      typeof conditions === 'string'
        ? (parsedColumn(conditions, 'conditions', streamOf(row)) as readonly Condition[])
        : [],
    replicas: numberOf(row, 'replicas'),
    proposedReplicas: numberOf(row, 'proposed') ?? 0,
    isFallback: typeof fallback === 'string',
  };
}

function numberOf(row: SqlRow, column: string): number | null {
  const value = row[column];
  return typeof value === 'string' ? Number(value) : null;
}
