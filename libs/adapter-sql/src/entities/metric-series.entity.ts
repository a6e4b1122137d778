import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { bytes, defineTable, int64, name } from './define-table.ts';

/** Passes of a policy from `start_time` to `end_time`, milliseconds since 1970; of a part, 1 in `is_part`. */
export function metricSeriesEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'MetricSeries',
    tableName: 'metric_series',
    columns: {
      stream: name(dialect, { primary: true }),
      start_time: int64(dialect, { primary: true }),
      end_time: int64(dialect),
      row_count: int64(dialect),
      is_part: int64(dialect),
      chunk: bytes(dialect),
    },
    indices: [{ name: 'metric_series_part', columns: ['start_time', 'stream'], where: 'is_part = 1' }],
  });
}
