import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name } from './define-table.ts';

/**
 * What the holder of a scope counts for the fleet brake by a source of metrics, under which epoch, when it was stored
 * last, for how long it had looked at its targets, and until when: in milliseconds, since 1970 by the database's clock.
 */
export function fleetBrakeLossEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'FleetBrakeLoss',
    tableName: 'fleet_brake_loss',
    columns: {
      scope: name(dialect, { primary: true }),
      metric_source: name(dialect, { primary: true }),
      losing: int64(dialect),
      epoch: int64(dialect),
      stored_at: int64(dialect),
      looked_milliseconds: int64(dialect, { default: 0 }),
      looked_until: int64(dialect, { default: 0 }),
    },
  });
}
