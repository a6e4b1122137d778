import type { CountedLosses, LossStorePort, StoredLosses } from '#reconciliation';
import type { SqlDatabase, SqlDialect } from '../sql-database.ts';
import { noticeStatements } from './change-notices.ts';
import { databaseNow } from './fence-statements.ts';
import { bigintOf, textOf } from './rows.ts';
import { writeFenced } from './write-fenced.ts';

/** More sources of metrics than a fleet has; the largest counts are read first. */
const maximumCounts = 5_000;

/** Counts of sources that are gone are deleted a day after they were stored. */
const keptMilliseconds = 86_400_000;

/** The counts of the fleet brake in a SQL database. */
export class SqlLossStore implements LossStorePort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async read(maximumAgeMilliseconds: number): Promise<readonly StoredLosses[]> {
    const rows = await this.#database.query({
      sql: `SELECT scope, metric_source, losing, epoch FROM fleet_brake_loss
        WHERE losing > 0 AND stored_at > ${databaseNow[this.#database.dialect]} - ?
        ORDER BY losing DESC, scope, metric_source LIMIT ${maximumCounts}`,
      parameters: [BigInt(Math.trunc(maximumAgeMilliseconds))],
    });
    return rows.map((row) => ({
      scope: textOf(row, 'scope'),
      epoch: bigintOf(row, 'epoch'),
      metricSource: textOf(row, 'metric_source'),
      losing: Number(bigintOf(row, 'losing')),
    }));
  }

  async store(counts: readonly CountedLosses[]): Promise<void> {
    if (counts.length === 0) return;
    const { dialect } = this.#database;
    const fences = [...new Map(counts.map(({ fence }) => [fence.scope, fence])).values()];
    await writeFenced(this.#database, fences, [
      {
        sql: `DELETE FROM fleet_brake_loss
          WHERE scope IN (${fences.map(() => '?').join(', ')}) AND stored_at < ${databaseNow[dialect]} - ${keptMilliseconds}`,
        parameters: fences.map(({ scope }) => scope),
      },
      {
        sql: upsert[dialect],
        rows: counts.map(({ fence, metricSource, losing }) => [
          fence.scope,
          metricSource,
          BigInt(losing),
          fence.epoch,
        ]),
      },
      ...noticeStatements(dialect, ['Losses']),
    ]);
  }
}

const columns = 'scope, metric_source, losing, epoch, stored_at';

const replace = `ON CONFLICT (scope, metric_source) DO UPDATE
  SET losing = excluded.losing, epoch = excluded.epoch, stored_at = excluded.stored_at`;

const upsert: Readonly<Record<SqlDialect, string>> = {
  sqlite: `INSERT INTO fleet_brake_loss (${columns}) VALUES (?, ?, ?, ?, ${databaseNow.sqlite}) ${replace}`,
  postgres: `INSERT INTO fleet_brake_loss (${columns})
    SELECT given.*, ${databaseNow.postgres}
    FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[]) AS given (scope, metric_source, losing, epoch) ${replace}`,
};
