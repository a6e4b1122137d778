import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, identity, int64, name, text } from './define-table.ts';

/** The state of each source. */
export function syncSourceEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'SyncSource',
    tableName: 'sync_source',
    columns: { source: name(dialect, { primary: true }), state: text() },
  });
}

/** The record of each commit that was judged. */
export function revisionEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'Revision',
    tableName: 'revision',
    columns: {
      position: int64(dialect, { primary: true, ...identity(dialect) }),
      source: name(dialect),
      commit_hash: text(),
      finished_at: text(),
      record: text(),
    },
    indices: [
      { name: 'revision_source', columns: ['source', 'position'] },
      { name: 'revision_commit', columns: ['source', 'commit_hash', 'position'] },
      { name: 'revision_time', columns: ['source', 'finished_at', 'position'] },
    ],
  });
}

/** Which document was active when. */
export function policyVersionEntity(dialect: SqlDialect): EntitySchema {
  const isInForce = 'valid_to IS NULL';
  return defineTable({
    name: 'PolicyVersion',
    tableName: 'policy_version',
    columns: {
      position: int64(dialect, { primary: true, ...identity(dialect) }),
      source: name(dialect),
      role: name(dialect),
      tenant: name(dialect),
      namespace: name(dialect),
      name: name(dialect),
      valid_from: name(dialect),
      valid_to: name(dialect, { nullable: true }),
      record: text(),
      file: name(dialect, { default: '' }),
      departure: name(dialect, { nullable: true }),
    },
    indices: [
      { name: 'policy_version_in_force', columns: ['source', 'position'], where: isInForce },
      {
        name: 'policy_version_identity',
        columns: ['source', 'role', 'namespace', 'name', 'tenant', 'file'],
        unique: true,
        where: isInForce,
      },
      {
        name: 'policy_version_ended',
        columns: ['source', 'valid_to', 'position'],
        where: 'valid_to IS NOT NULL',
      },
      { name: 'policy_version_name', columns: ['namespace', 'name', 'valid_from'] },
      { name: 'policy_version_defaults', columns: ['source', 'valid_from'], where: "role = 'Defaults'" },
    ],
  });
}
