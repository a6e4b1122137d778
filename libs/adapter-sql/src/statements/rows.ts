import { isJsonObject, messageOf } from '#kernel';
import {
  type PolicyKey,
  policyOfStream,
  type PolicyState,
  recordDamaged,
  type RecordedConditions,
  type StandingIntervention,
  type StreamHead,
} from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { SqlRow, SqlValue } from '../connection/sql-database.ts';

/** Reads a column of text. @throws AdapterError `DatabaseCorrupt` */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  return value;
}

/** Reads a column of integers. @throws AdapterError `DatabaseCorrupt` */
export function bigintOf(row: SqlRow, column: string): bigint {
  const value = row[column];
  if (typeof value !== 'bigint') throw unexpected(column, value);
  return value;
}

/** Reads a column of bytes. @throws AdapterError `DatabaseCorrupt` */
export function bytesOf(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw unexpected(column, value);
  return value;
}

export function headOf(row: SqlRow): StreamHead {
  return { stream: textOf(row, 'stream'), seq: bigintOf(row, 'seq'), hash: textOf(row, 'hash') };
}

/** The policy whose stream a row names. @throws AdapterError `DatabaseCorrupt` */
export function policyOf(row: SqlRow): PolicyKey {
  const policy = policyOfStream(textOf(row, 'stream'));
  if (policy === null) throw unexpected('stream', row['stream']);
  return policy;
}

/** The state of the policy whose stream the row names. @throws AdapterError `RecordDamaged` */
export function stateOf(row: SqlRow): PolicyState {
  return recordOf(row, 'policy_state', (policy) => {
    const state = {
      policy,
      memory: objectIn(row, 'memory'),
      memoryIfWritten: objectOf(row, 'memory_if_written'),
      openRun: objectOf(row, 'open_run'),
      lastDecision: objectOf(row, 'last_decision'),
      strategy: objectOf(row, 'strategy'),
      account: objectOf(row, 'account'),
      contest: objectOf(row, 'contest'),
      refusal: objectOf(row, 'refusal'),
      updatedAt: textOf(row, 'updated_at'),
    };
    return state as object as PolicyState;
  });
}

/** The conditions of the policy whose stream the row names. @throws AdapterError `RecordDamaged` */
export function conditionsOf(row: SqlRow): RecordedConditions {
  return recordOf(row, 'policy_conditions', (policy) => {
    const conditions = jsonIn(row, 'conditions');
    if (!Array.isArray(conditions)) throw notAs(row, 'conditions', 'list');
    return { policy, conditions: conditions as RecordedConditions['conditions'] };
  });
}

/** Reads what a row of a table holds of the policy that it names: what is damaged there is that policy's alone. */
function recordOf<T>(row: SqlRow, table: string, read: (policy: PolicyKey) => T): T {
  const policy = policyOf(row);
  try {
    return read(policy);
  } catch (error) {
    const cure = `mend the row of ${table}, or delete it: the policy then begins as one that is new`;
    throw databaseError(recordDamaged, `${messageOf(error)}; ${cure}`, error);
  }
}

/**
 * An intervention whose id is the row's. What is none is not left out: it may be a suspension, without which a workload
 * would be scaled in.
 *
 * @throws AdapterError `DatabaseCorrupt`
 */
export function interventionOf(row: SqlRow): StandingIntervention {
  const id = textOf(row, 'id');
  const record = jsonIn(row, 'record', `intervention ${id}`);
  if (!isIntervention(record) || record.id !== id)
    throw databaseError('DatabaseCorrupt', `column record of intervention ${id} holds no intervention`);
  return record;
}

/** As far as anything goes by it without a look at whether it is there. */
function isIntervention(record: unknown): record is StandingIntervention {
  const { scope, intervention } = (record ?? {}) as Partial<StandingIntervention>;
  return (
    typeof scope?.kind === 'string' &&
    typeof intervention?.kind === 'string' &&
    scopeKinds.has(scope.kind) &&
    interventionKinds.has(intervention.kind) &&
    !Number.isNaN(Date.parse(intervention.expires))
  );
}

const scopeKinds: ReadonlySet<string> = new Set<StandingIntervention['scope']['kind']>([
  'Policy',
  'Namespace',
  'Source',
  'MetricSource',
  'Cluster',
]);

const interventionKinds: ReadonlySet<string> = new Set<StandingIntervention['intervention']['kind']>([
  'Suspend',
  'Override',
  'DryRun',
]);

function objectOf(row: SqlRow, column: string): object | null {
  return row[column] === null ? null : objectIn(row, column);
}

function objectIn(row: SqlRow, column: string): object {
  const value = jsonIn(row, column);
  if (!isJsonObject(value)) throw notAs(row, column, 'object');
  return value;
}

function notAs(row: SqlRow, column: string, wanted: string): Error {
  return databaseError('DatabaseCorrupt', `column ${column} of ${streamOf(row)} holds no ${wanted}`);
}

/**
 * Parses a column of JSON that is never null.
 *
 * @param name is what the error calls the row: `source policies`; by default the stream that it names
 * @throws AdapterError `DatabaseCorrupt`
 */
export function jsonIn(row: SqlRow, column: string, name = streamOf(row)): unknown {
  return parsedColumn(textOf(row, column), column, name);
}

/** Parses what a column holds of the row that is called so. @throws AdapterError `DatabaseCorrupt` */
export function parsedColumn(text: string, column: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw databaseError('DatabaseCorrupt', `column ${column} of ${name} holds no JSON`, error);
  }
}

/** What a text of JSON says; undefined: it is none. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of which stream a row is, where it names one. */
export function streamOf({ stream }: SqlRow): string {
  return typeof stream === 'string' ? stream : 'a row';
}

function unexpected(column: string, value: SqlValue | undefined): Error {
  return databaseError('DatabaseCorrupt', `column ${column} holds ${typeof value}`);
}
