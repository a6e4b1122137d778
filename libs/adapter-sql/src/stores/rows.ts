import {
  type PolicyKey,
  policyOfStream,
  type PolicyState,
  type RecordedConditions,
  type StandingIntervention,
  type StreamHead,
} from '#ledger';
import { databaseError } from '../database-error.ts';
import type { SqlRow, SqlValue } from '../sql-database.ts';

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

export function stateOf(row: SqlRow): PolicyState {
  return {
    policy: policyOf(row),
    memory: jsonOf(row, 'memory'),
    memoryIfWritten: jsonOf(row, 'memory_if_written'),
    openRun: jsonOf(row, 'open_run'),
    lastDecision: jsonOf(row, 'last_decision'),
    strategy: jsonOf(row, 'strategy'),
    account: jsonOf(row, 'account'),
    contest: jsonOf(row, 'contest'),
    refusal: jsonOf(row, 'refusal'),
    updatedAt: textOf(row, 'updated_at'),
  } as PolicyState;
}

export function conditionsOf(row: SqlRow): RecordedConditions {
  return { policy: policyOf(row), conditions: jsonOf(row, 'conditions') } as RecordedConditions;
}

export function interventionOf(row: SqlRow): StandingIntervention {
  return jsonOf(row, 'record') as StandingIntervention;
}

function jsonOf(row: SqlRow, column: string): unknown {
  return row[column] === null ? null : jsonIn(row, column);
}

/** Parses a column of JSON that is never null. @throws AdapterError `DatabaseCorrupt` */
export function jsonIn(row: SqlRow, column: string): unknown {
  return parsedColumn(row, column, textOf(row, column));
}

/** Parses what a column holds. @throws AdapterError `DatabaseCorrupt` */
export function parsedColumn(row: SqlRow, column: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw databaseError('DatabaseCorrupt', `column ${column}${ofStream(row)} holds no JSON`, error);
  }
}

/** Of which stream a row is, where it names one. */
function ofStream({ stream }: SqlRow): string {
  return typeof stream === 'string' ? ` of ${stream}` : '';
}

function unexpected(column: string, value: SqlValue | undefined): Error {
  return databaseError('DatabaseCorrupt', `column ${column} holds ${typeof value}`);
}
