import type { EntitySchema, EntitySchemaIndexOptions } from 'typeorm';
import type { SqlDialect } from '../sql-database.ts';
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
    },
    indices: indicesOf(dialect),
  });
}

function indicesOf(dialect: SqlDialect): EntitySchemaIndexOptions[] {
  const order = dialect === 'postgres' ? ['time_nanoseconds', 'position'] : ['time_nanoseconds'];
  // So that SQLite reads a page from the index alone.
  const listed = dialect === 'postgres' ? order : ['payload_hash', ...order];
  const streamSeq = ['stream_id', 'seq', ...(dialect === 'postgres' ? ['time_nanoseconds'] : [])];
  return [
    { name: 'ledger_entry_stream_seq', columns: streamSeq, unique: true },
    index('ledger_entry_kind_time', ['kind', ...listed], hasPayload),
    index('ledger_entry_stream_kind_time', ['stream_id', 'kind', ...listed], hasPayload),
    index('ledger_entry_action_time', ['action', ...listed], `action IS NOT NULL AND ${hasPayload}`),
    index(
      'ledger_entry_stream_action_time',
      ['stream_id', 'action', ...listed],
      `action IS NOT NULL AND ${hasPayload}`,
    ),
    // Nine of ten entries are runs: those of a namespace are found by its streams.
    ...Object.entries({ namespace: ` AND kind <> 'DecisionRun'`, actor: '', commit: '' }).map(
      ([name, kinds]) =>
        index(
          `ledger_entry_${name}_kind_time`,
          [`${name}_id`, 'kind', ...listed],
          `${name}_id IS NOT NULL${kinds} AND ${hasPayload}`,
        ),
    ),
    ...(dialect === 'postgres'
      ? []
      : [
          index(
            'ledger_entry_observation_time',
            order,
            `kind = 'Decision' AND ${hasPayload} AND observation_hash IS NULL`,
          ),
        ]),
  ];
}

/** Lists have no other entries, so their indexes have none. */
const hasPayload = 'payload_hash IS NULL';

function index(name: string, columns: readonly string[], where: string): EntitySchemaIndexOptions {
  return { name, columns: [...columns], where };
}
