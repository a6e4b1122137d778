import type { CountedLosses, LossStorePort, ReadLosses } from '#reconciliation';
import type { SqlDatabase, SqlDialect } from '../connection/sql-database.ts';
import { noticeStatements } from '../statements/change-notices.ts';
import { databaseNow } from '../statements/fence-statements.ts';
import { bigintOf, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

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

  async read(maximumAgeMilliseconds: number): Promise<ReadLosses> {
    const now = databaseNow[this.#database.dialect];
    // The time is read, too, where there is no count.
    const rows = await this.#database.query({
      sql: `SELECT now.time, loss.scope, loss.metric_source, loss.losing, loss.epoch, loss.looked_milliseconds,
          loss.looked_until
        FROM (SELECT ${now} AS time) AS now
        LEFT JOIN fleet_brake_loss AS loss ON loss.stored_at > now.time - ?
        ORDER BY loss.losing DESC, loss.scope, loss.metric_source LIMIT ${maximumCounts}`,
      parameters: [BigInt(Math.trunc(maximumAgeMilliseconds))],
    });
    const [first] = rows;
    const counts = rows.filter((row) => row['scope'] !== null);
    return {
      time: first === undefined ? 0 : Number(bigintOf(first, 'time')),
      counts: counts.map((row) => ({
        scope: textOf(row, 'scope'),
        epoch: bigintOf(row, 'epoch'),
        metricSource: textOf(row, 'metric_source'),
        losing: Number(bigintOf(row, 'losing')),
        lookedMilliseconds: Number(bigintOf(row, 'looked_milliseconds')),
        lookedUntil: Number(bigintOf(row, 'looked_until')),
      })),
    };
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
        rows: counts.map(({ fence, metricSource, losing, lookedMilliseconds, lookedUntil }) => [
          fence.scope,
          metricSource,
          BigInt(losing),
          fence.epoch,
          BigInt(Math.trunc(lookedMilliseconds)),
          BigInt(Math.trunc(lookedUntil)),
        ]),
      },
      ...noticeStatements(dialect, ['Losses']),
    ]);
  }
}

const given = 'scope, metric_source, losing, epoch, looked_milliseconds, looked_until';

const replace = `ON CONFLICT (scope, metric_source) DO UPDATE
  SET losing = excluded.losing, epoch = excluded.epoch, stored_at = excluded.stored_at,
    looked_milliseconds = excluded.looked_milliseconds, looked_until = excluded.looked_until`;

const upsert: Readonly<Record<SqlDialect, string>> = {
  sqlite: `INSERT INTO fleet_brake_loss (${given}, stored_at)
    VALUES (?, ?, ?, ?, ?, ?, ${databaseNow.sqlite}) ${replace}`,
  postgres: `INSERT INTO fleet_brake_loss (${given}, stored_at)
    SELECT given.*, ${databaseNow.postgres}
    FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) AS given (${given})
    ${replace}`,
};
