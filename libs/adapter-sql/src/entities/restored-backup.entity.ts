import type { EntitySchema } from 'typeorm';
import { defineTable } from './define-table.ts';

/** The backup that the database was restored from. */
export function restoredBackupEntity(): EntitySchema {
  return defineTable({
    name: 'RestoredBackup',
    tableName: 'restored_backup',
    columns: { made_at: { type: 'text', primary: true } },
  });
}
