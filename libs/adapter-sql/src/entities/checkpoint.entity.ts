import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** The ledger's id, its last checkpoint, over how many shards the policies are spread, and of which cluster: one row. */
export function ledgerIdentityEntity(): EntitySchema {
  return defineTable({
    name: 'LedgerIdentity',
    tableName: 'ledger_identity',
    columns: {
      id: text({ primary: true }),
      last_note: text({ nullable: true }),
      shard_count: { type: 'integer', nullable: true },
      cluster_uid: text({ nullable: true }),
      cluster_name: text({ nullable: true }),
    },
  });
}

/** The heads that the last checkpoint covers. */
export function sealedHeadEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'SealedHead',
    tableName: 'sealed_head',
    columns: { stream: name(dialect, { primary: true }), seq: int64(dialect), hash: text() },
  });
}

/** The heads of the streams that changed since the last checkpoint, while the next is being made. */
export function nextHeadEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'NextHead',
    tableName: 'next_head',
    columns: { stream: name(dialect, { primary: true }), seq: int64(dialect), hash: text() },
  });
}
