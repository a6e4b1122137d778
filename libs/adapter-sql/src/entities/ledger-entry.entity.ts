import type { EntitySchema, EntitySchemaIndexOptions } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { bytes, defineTable, int64, name, text } from './define-table.ts';

/** The chained, append-only entries. */
export function ledgerEntryEntity(dialect: SqlDialect): EntitySchema {
  // The keys of a partitioned table contain what it is partitioned by.
  const isPartitioned = dialect === 'postgres';
  return defineTable({
    name: 'LedgerEntry',
    tableName: 'ledger_entry',
    columns: {
      position: int64(dialect, { primary: true, ...(isPartitioned ? { generated: 'increment' } : {}) }),
      stream_id: int64(dialect),
      seq: int64(dialect),
      cluster: text(),
      kind: name(dialect),
      time: text(),
      time_nanoseconds: int64(dialect, { primary: isPartitioned }),
      action: name(dialect, { nullable: true }),
      payload: text(),
      previous_hash: text(),
      hash: text(),
      format: int64(dialect, { default: 1 }),
      dictionary: int64(dialect, { nullable: true }),
      base_seq: int64(dialect, { nullable: true }),
      packed: bytes(dialect, { nullable: true }),
      observation: bytes(dialect, { nullable: true }),
      observation_hash: text({ nullable: true }),
      payload_hash: text({ nullable: true }),
      namespace_id: int64(dialect, { nullable: true }),
      actor_id: int64(dialect, { nullable: true }),
      commit_id: int64(dialect, { nullable: true }),
      summary_id: int64(dialect, { nullable: true }),
      policy_id: int64(dialect, { nullable: true }),
    },
    indices: dialect === 'postgres' ? postgresIndices : sqliteIndices,
  });
}

/** Lists have no other entries, so their indexes have none. */
const hasPayload = 'payload_hash IS NULL';
const hasAction = `action IS NOT NULL AND ${hasPayload}`;

/** So that SQLite reads a page from the index alone, they contain what it asks of each entry. */
const sqliteOrder = ['payload_hash', 'time_nanoseconds'];
const sqliteIndices = [
  { name: 'ledger_entry_stream_seq', columns: ['stream_id', 'seq'], unique: true },
  index('kind_time', ['kind', ...sqliteOrder]),
  index('stream_kind_time', ['stream_id', 'kind', ...sqliteOrder], `kind <> 'DecisionRun' AND ${hasPayload}`),
  // It begins with the week, an expression, of which TypeORM knows nothing.
  { name: 'ledger_entry_run_week', columns: ['stream_id'], synchronize: false },
  index('action_time', ['action', ...sqliteOrder], hasAction),
  index('stream_action_time', ['stream_id', 'action', ...sqliteOrder], hasAction),
  // Nine of ten entries are runs: those of a namespace are found by its streams.
  index('namespace_kind_time', ['namespace_id', 'kind', ...sqliteOrder], has('namespace', ['DecisionRun'])),
  // Entries of a policy's stream are found by the stream.
  index('policy_kind_time', ['policy_id', 'kind', ...sqliteOrder], has('policy')),
  index('actor_kind_time', ['actor_id', 'kind', ...sqliteOrder], has('actor')),
  index('commit_kind_time', ['commit_id', 'kind', ...sqliteOrder], has('commit')),
  index(
    'observation_time',
    ['time_nanoseconds'],
    `kind = 'Decision' AND ${hasPayload} AND observation_hash IS NULL`,
  ),
];

/** Decisions are in as few indexes as find them (ADR 15). */
const postgresOrder = ['time_nanoseconds', 'position'];
const isDecision = `kind = 'Decision' AND ${hasPayload}`;
const isNoDecision = `kind <> 'Decision' AND ${hasPayload}`;
const postgresIndices = [
  { name: 'ledger_entry_stream_seq', columns: ['stream_id', 'seq', 'time_nanoseconds'], unique: true },
  index('kind_time', ['kind', ...postgresOrder], isNoDecision),
  index('stream_kind_time', ['stream_id', 'kind', ...postgresOrder], isNoDecision),
  index('action_time', ['action', ...postgresOrder], hasAction),
  index('stream_decision_time', ['stream_id', ...postgresOrder, 'action'], isDecision),
  index(
    'namespace_kind_time',
    ['namespace_id', 'kind', ...postgresOrder],
    has('namespace', ['DecisionRun', 'Decision']),
  ),
  index('policy_kind_time', ['policy_id', 'kind', ...postgresOrder], has('policy')),
  index('actor_kind_time', ['actor_id', 'kind', ...postgresOrder], has('actor')),
  index('commit_kind_time', ['commit_id', 'kind', ...postgresOrder], has('commit', ['Decision'])),
  index('commit_decision_time', ['commit_id', ...postgresOrder], `commit_id IS NOT NULL AND ${isDecision}`),
];

function has(name: string, withoutKinds: readonly string[] = []): string {
  return [`${name}_id IS NOT NULL`, ...withoutKinds.map((kind) => `kind <> '${kind}'`), hasPayload].join(
    ' AND ',
  );
}

function index(name: string, columns: readonly string[], where = hasPayload): EntitySchemaIndexOptions {
  return { name: `ledger_entry_${name}`, columns: [...columns], where };
}
