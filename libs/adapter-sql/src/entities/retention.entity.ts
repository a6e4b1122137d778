import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** A row in it allows its transaction to delete what has expired. It is empty in between. */
export function retentionPermitEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'RetentionPermit',
    tableName: 'retention_permit',
    columns: { id: int64(dialect, { primary: true }) },
  });
}

/** Up to when each rule has deleted, or is deleting, what it says. */
export function retentionRuleEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'RetentionRule',
    tableName: 'retention_rule',
    columns: {
      kind: name(dialect, { primary: true }),
      content: name(dialect, { primary: true }),
      before_nanoseconds: int64(dialect),
    },
  });
}

/** The last of the entries that have been deleted at the beginning of a stream. */
export function expiredSegmentEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'ExpiredSegment',
    tableName: 'expired_segment',
    columns: {
      stream: name(dialect, { primary: true }),
      seq: int64(dialect),
      hash: text(),
      announced_nanoseconds: int64(dialect, { nullable: true }),
    },
  });
}
